import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  func openChannel(_ request: OpenL2CAP, _ message: ClientMessage) {
    guard let connection = connected(request.id) else { return fail(message, .noConnection) }
    let entry = connection.begin(.openChannel, .channel(psm: request.psm))
    // The range of LE channels; more would be another transport's.
    guard (1...0xFF).contains(request.psm) else {
      connection.finish(entry, error: .invalidParameters)
      return fail(message, .invalidParameters)
    }
    if let opening = connection.openings[request.psm] { return opening.requests.append(entry) }
    let opening = ChannelOpening(psm: request.psm, connection: connection)
    opening.requests.append(entry)
    connection.openings[request.psm] = opening
    opening.start(limit: server.configuration.limits.channelOpening)
  }

  /// Takes in a channel that has opened.
  func add(_ channel: any RadioL2CAPChannel, psm: UInt16, _ connection: Connection) -> SessionChannel {
    add(channel, psm: psm, peer: connection.id, owner: connection)
  }

  func add(
    _ channel: any RadioL2CAPChannel, psm: UInt16, peer: PeripheralIdentifier, owner: any ChannelOwner
  ) -> SessionChannel {
    let id = "\(peer.text):\(psm):\(server.nextChannelNumber())"
    let channel = SessionChannel(id: id, psm: psm, channel: channel, owner: owner)
    channels[id] = channel
    owner.channels.append(channel)
    return channel
  }

  func pauseChannel(_ request: L2CAPPause) { channels[request.channelId]?.setPausedByClient(request.paused) }

  func writeChannel(_ request: L2CAPWrite) {
    guard let channel = channels[request.channelId] else { return tellChannelClosed(request.channelId) }
    channel.send(request.value)
  }

  func closeChannel(_ request: L2CAPClose) {
    if let channel = channels[request.channelId] {
      channel.record(.closeChannel)
      channel.close()
    }
    tellChannelClosed(request.channelId)
  }

  /// A stream with a hole is worse than none: the channel is closed.
  func refuseChannelWrite(_ request: FailedRequest, _ error: MessageDecodingError) {
    guard let id = request.channelId else { return }
    if let channel = channels[id], case .field(let field, let problem, _) = error {
      let reason = BluetoothError.invalidParameters.saying("\(field): \(problem)")
      channel.record(.writeChannel, error: reason)
      channel.close()
    }
    tellChannelClosed(id)
  }

  private func tellChannelClosed(_ id: String) { send(.l2capClosed(L2CAPClosed(channelId: id))) }
}
