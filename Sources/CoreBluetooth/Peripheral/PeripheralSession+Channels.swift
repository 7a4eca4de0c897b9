import BridgeIO
import BridgeProtocol

extension PeripheralSession {
  /// An open channel of a central's.
  struct Channel {
    let pipe: L2CAPPipe
    /// Bytes that the socket may not have taken.
    var unsettled = 0
  }

  func accept(_ accepted: DidAcceptL2CAP) {
    // Made now, and not on the app's queue: what the central sends at once is kept.
    let pipe = L2CAPPipe(engine(of: accepted.channelId))
    channels[accepted.channelId] = Channel(pipe: pipe)
    tell { $0.didOpen(pipe, accepted) }
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
      connection.send(.l2capWrite(L2CAPWrite(channelId: id, value: Array(bytes[start..<end]))))
    }
    channels[id]?.unsettled += bytes.count
    if !isSettling { BridgeQueue.atEndOfTurn { self.settle() } }
    isSettling = true
  }

  private func setPaused(_ paused: Bool, channel id: String) {
    guard channels[id] != nil else { return }
    connection.send(.l2capPause(L2CAPPause(channelId: id, paused: paused)))
  }

  private func closeChannel(_ id: String) {
    guard channels.removeValue(forKey: id) != nil else { return }
    connection.send(.l2capClose(L2CAPClose(channelId: id)))
  }

  /// What the socket has taken is on its way.
  func settle() {
    isSettling = false
    guard !connection.isCongested else { return }
    for (id, channel) in channels where channel.unsettled > 0 {
      channels[id]?.unsettled = 0
      channel.pipe.sent(channel.unsettled)
    }
  }

  // MARK: From the service

  func received(_ data: L2CAPData) { channels[data.channelId]?.pipe.received(data.value) }

  func closed(_ event: L2CAPClosed) { channels.removeValue(forKey: event.channelId)?.pipe.closed(nil) }

  func closeChannels(_ error: BluetoothError) {
    let closed = channels
    channels = [:]
    for channel in closed.values { channel.pipe.closed(error) }
  }
}
