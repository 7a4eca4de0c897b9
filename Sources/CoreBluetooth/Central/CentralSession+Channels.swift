import BridgeProtocol

extension CentralSession {
  func opened(_ reply: DidOpenL2CAP) {
    guard let link = connectedLink(reply.id) else { return }
    guard reply.error == nil, !reply.channelId.isEmpty else {
      let error = reply.error ?? .connectionFailed
      return deliver(reply.id) { $0.didNotOpenChannel(error) }
    }
    let pipe = channels.open(reply.channelId, of: link)
    let psm = UInt16(truncatingIfNeeded: reply.psm)
    tell { _ in
      guard let peripheral = link.peripheral.object, peripheral.isConnected(by: link) else { return pipe.close() }
      peripheral.didOpen(CBL2CAPChannel(peer: peripheral, psm: psm, pipe: pipe))
    }
  }
}
