import BridgeIO
import BridgeProtocol

/// The open L2CAP channels of one manager: carries bytes between each channel's pipe and the connection with the service.
@BridgeQueue
final class ServiceChannels {
  private struct Channel {
    let pipe: L2CAPPipe
    /// What the channel ends with; nil for what lasts as long as the connection.
    let link: PeripheralLink?
    /// Bytes that the socket may not have taken.
    var unsettled = 0
    /// Because of it the whole connection is not read.
    var pausesConnection = false
  }

  private let connection: ServiceConnection
  /// With any of these features the service knows `l2capPause`.
  private let pauseFeatures: Features
  /// Called when bytes have been sent, for `settle` to follow at the end of the turn.
  var onSend: (@BridgeQueue () -> Void)?
  private var channels: [String: Channel] = [:]

  nonisolated init(_ connection: ServiceConnection, pausedWith pauseFeatures: Features) {
    self.connection = connection
    self.pauseFeatures = pauseFeatures
  }

  /// Made at once, and not on the app's queue: what the peer sends at once is kept.
  func open(_ id: String, of link: PeripheralLink? = nil) -> L2CAPPipe {
    let pipe = L2CAPPipe(
      L2CAPPipe.Engine(
        send: { [weak self] bytes in BridgeQueue.async { self?.write(bytes, to: id) } },
        setReadingPaused: { [weak self] paused in BridgeQueue.async { self?.setPaused(paused, channel: id) } },
        close: { [weak self] in BridgeQueue.async { self?.close(id) } }))
    channels[id] = Channel(pipe: pipe, link: link)
    return pipe
  }

  var isEmpty: Bool { channels.isEmpty }

  // MARK: From the app

  private func write(_ bytes: [UInt8], to id: String) {
    guard channels[id] != nil else { return }
    for start in stride(from: 0, to: bytes.count, by: ProtocolLimits.l2capChunkLength) {
      let end = min(start + ProtocolLimits.l2capChunkLength, bytes.count)
      connection.send(.l2capWrite(L2CAPWrite(channelId: id, value: Array(bytes[start..<end]))))
    }
    channels[id]?.unsettled += bytes.count
    onSend?()
  }

  private func setPaused(_ paused: Bool, channel id: String) {
    guard let channel = channels[id] else { return }
    if !connection.features.isDisjoint(with: pauseFeatures) {
      return connection.send(.l2capPause(L2CAPPause(channelId: id, paused: paused)))
    }
    // Others know only the whole connection.
    guard channel.pausesConnection != paused else { return }
    channels[id]?.pausesConnection = paused
    if paused { connection.pauseReading() } else { connection.resumeReading() }
  }

  private func remove(_ id: String) -> L2CAPPipe? {
    guard let channel = channels.removeValue(forKey: id) else { return nil }
    if channel.pausesConnection { connection.resumeReading() }
    return channel.pipe
  }

  private func close(_ id: String) {
    guard remove(id) != nil else { return }
    connection.send(.l2capClose(L2CAPClose(channelId: id)))
  }

  // MARK: From the service

  func received(_ data: L2CAPData) { channels[data.channelId]?.pipe.received(data.value) }

  func closed(_ event: L2CAPClosed) { remove(event.channelId)?.closed(nil) }

  /// The socket has taken all that was sent: it is on its way.
  func settle() {
    for (id, channel) in channels where channel.unsettled > 0 {
      channels[id]?.unsettled = 0
      channel.pipe.sent(channel.unsettled)
    }
  }

  /// Ends the channels of a link that is gone, or all of them.
  func closeAll(of link: PeripheralLink? = nil, _ error: BluetoothError) {
    for (id, channel) in channels where link == nil || channel.link === link { remove(id)?.closed(error) }
  }
}
