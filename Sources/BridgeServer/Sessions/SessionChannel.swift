import BridgeIO
import BridgeProtocol
import Radio

/// An open L2CAP channel of one client: bytes both ways, each side read only as fast as the other takes them.
@BridgeQueue
final class SessionChannel {
  let id: String
  let psm: UInt16
  private let channel: any RadioL2CAPChannel
  private unowned let owner: any ChannelOwner
  private let limit: Int
  private var isDevicePaused = false
  private var isPausedByClient = false
  private var isClientPaused = false
  private var isOpen = true

  init(id: String, psm: UInt16, channel: any RadioL2CAPChannel, owner: any ChannelOwner) {
    self.id = id
    self.psm = psm
    self.channel = channel
    self.owner = owner
    limit = owner.session.server.configuration.limits.deviceQueue
  }

  private var session: Session { owner.session }

  /// Once the client knows the channel.
  func start() {
    channel.onDrain = { [weak self] in self?.resumeClient() }
    channel.onClose = { [weak self] in self?.closedByDevice() }
    channel.onData = { [weak self] in self?.received($0) }
  }

  // MARK: From the device

  private func received(_ bytes: [UInt8]) {
    guard isOpen else { return }
    for start in stride(from: 0, to: bytes.count, by: ProtocolLimits.l2capChunkLength) {
      let chunk = Array(bytes[start..<min(start + ProtocolLimits.l2capChunkLength, bytes.count)])
      record(.readChannel, read: chunk.count)
      session.send(.l2capData(L2CAPData(channelId: id, value: chunk)))
    }
    // Sending may have ended the client, and this channel with it.
    if isOpen, session.channel.queuedBytes > session.server.configuration.limits.channel.congestion { pauseDevice() }
  }

  private func pauseDevice() {
    guard !isDevicePaused else { return }
    isDevicePaused = true
    updatePause()
    // What waits may be this turn's output alone, which the socket takes at once and reports no drain for.
    BridgeQueue.atEndOfTurn { [weak self] in
      BridgeQueue.async { [weak self] in self?.continueReading() }
    }
  }

  /// The client has read something.
  func continueReading() {
    guard isOpen, isDevicePaused, !session.channel.isCongested else { return }
    isDevicePaused = false
    updatePause()
  }

  private func updatePause() { channel.setReadingPaused(isDevicePaused || isPausedByClient) }

  private func closedByDevice() {
    guard isOpen else { return }
    close()
    session.send(.l2capClosed(L2CAPClosed(channelId: id)))
  }

  // MARK: From the client

  func send(_ bytes: [UInt8]) {
    record(.writeChannel, written: bytes.count)
    channel.send(bytes)
    guard channel.queuedBytes > limit, !isClientPaused else { return }
    isClientPaused = true
    session.channel.pauseReading()
  }

  /// The client's own reader does not keep up, or does again.
  func setPausedByClient(_ paused: Bool) {
    isPausedByClient = paused
    updatePause()
  }

  private func resumeClient() {
    guard isClientPaused else { return }
    isClientPaused = false
    session.channel.resumeReading()
  }

  func record(_ operation: ActivityOperation, read: Int = 0, written: Int = 0, error: BluetoothError? = nil) {
    owner.record(operation, psm: psm, read: read, written: written, error: error)
  }

  /// Closes the device's channel and forgets it; the client is not told.
  func close() {
    guard isOpen else { return }
    isOpen = false
    resumeClient()
    (channel.onData, channel.onClose, channel.onDrain) = (nil, nil, nil)
    channel.close()
    session.channels[id] = nil
    owner.channels.removeAll { $0 === self }
  }
}

/// What a client's channels hang on: its connection with a peripheral, or the peripheral that it hosts.
@BridgeQueue
protocol ChannelOwner: AnyObject {
  var session: Session { get }
  var channels: [SessionChannel] { get set }
  func record(_ operation: ActivityOperation, psm: UInt16, read: Int, written: Int, error: BluetoothError?)
}
