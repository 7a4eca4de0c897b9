import BridgeIO
import BridgeProtocol

extension CentralSession {
  /// An open channel of a connection.
  struct Channel {
    let pipe: L2CAPPipe
    let link: PeripheralLink
    /// Bytes that the socket may not have taken.
    var unsettled = 0
    /// Because of it the whole connection is not read.
    var pausesConnection = false
  }

  func opened(_ reply: DidOpenL2CAP) {
    guard let link = connectedLink(reply.id) else { return }
    guard reply.error == nil, !reply.channelId.isEmpty else {
      let error = reply.error ?? .connectionFailed
      return deliver(reply.id) { $0.didNotOpenChannel(error) }
    }
    // Made now, and not on the app's queue: what the peer sends at once is kept.
    let pipe = L2CAPPipe(engine(of: reply.channelId))
    channels[reply.channelId] = Channel(pipe: pipe, link: link)
    let psm = UInt16(truncatingIfNeeded: reply.psm)
    tell { _ in
      guard let peripheral = link.peripheral.object, peripheral.isConnected(by: link) else { return pipe.close() }
      peripheral.didOpen(CBL2CAPChannel(peer: peripheral, psm: psm, pipe: pipe))
    }
  }

  private func engine(of id: String) -> L2CAPPipe.Engine {
    L2CAPPipe.Engine(
      send: { [weak self] bytes in BridgeQueue.async { self?.write(bytes, to: id) } },
      setReadingPaused: { [weak self] paused in BridgeQueue.async { self?.setPaused(paused, channel: id) } },
      close: { [weak self] in BridgeQueue.async { self?.closeChannel(id) } })
  }

  // MARK: From the app

  private func write(_ bytes: [UInt8], to id: String) {
    guard channels[id] != nil else { return }
    for start in stride(from: 0, to: bytes.count, by: ProtocolLimits.l2capChunkLength) {
      let end = min(start + ProtocolLimits.l2capChunkLength, bytes.count)
      send(.l2capWrite(L2CAPWrite(channelId: id, value: Array(bytes[start..<end]))))
    }
    channels[id]?.unsettled += bytes.count
    settleLater()
  }

  private func setPaused(_ paused: Bool, channel id: String) {
    guard channels[id] != nil else { return }
    if connection.features.contains(.flow) { return send(.l2capPause(L2CAPPause(channelId: id, paused: paused))) }
    // Others know only the whole connection.
    guard channels[id]?.pausesConnection != paused else { return }
    channels[id]?.pausesConnection = paused
    if paused { connection.pauseReading() } else { connection.resumeReading() }
  }

  private func removeChannel(_ id: String) -> L2CAPPipe? {
    guard let channel = channels.removeValue(forKey: id) else { return nil }
    if channel.pausesConnection { connection.resumeReading() }
    return channel.pipe
  }

  private func closeChannel(_ id: String) {
    guard removeChannel(id) != nil else { return }
    send(.l2capClose(L2CAPClose(channelId: id)))
  }

  // MARK: From the service

  func received(_ data: L2CAPData) { channels[data.channelId]?.pipe.received(data.value) }

  func closed(_ event: L2CAPClosed) { removeChannel(event.channelId)?.closed(nil) }

  /// What the socket has taken is on its way.
  func settleChannels() {
    for (id, channel) in channels where channel.unsettled > 0 {
      channels[id]?.unsettled = 0
      channel.pipe.sent(channel.unsettled)
    }
  }

  /// The link is gone, and its channels with it.
  func closeChannels(of link: PeripheralLink, _ error: BluetoothError) {
    for (id, channel) in channels where channel.link === link { removeChannel(id)?.closed(error) }
  }
}
