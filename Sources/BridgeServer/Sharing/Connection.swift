import BridgeIO
import BridgeProtocol
import Radio

/// One session's hold on a peripheral, from its `connect` to its `didDisconnect`. A later hold is another object, so
/// what was asked for under this one is never answered under that.
@BridgeQueue
final class Connection: ChannelOwner {
  enum State {
    case connecting
    case connected
    case ended
  }

  let session: Session
  /// Another one after the client has changed the world that it is in.
  var peripheral: SharedPeripheral
  var state = State.connecting { didSet { if state == .connected { hadLink = true } } }
  /// Whether it ever was connected.
  private(set) var hadLink = false
  private(set) lazy var requests = WaitingRequests(
    of: self, limit: session.server.configuration.limits.deviceQueue)
  /// Channels being opened, by PSM.
  var openings: [UInt16: ChannelOpening] = [:]
  var channels: [SessionChannel] = []
  /// As last told to a client with the feature `mtu`.
  var toldWriteLength: Int?
  private var takenWrites = 0
  private var outstanding = 0
  private var isReadingPaused = false
  private static let outstandingLimit = 1024

  init(session: Session, peripheral: SharedPeripheral) {
    self.session = session
    self.peripheral = peripheral
  }

  var id: PeripheralIdentifier { peripheral.id }
  var radio: any Radio { peripheral.radio }

  /// The session lets go of it.
  func release() { peripheral.shares.release(self, .operationCancelled) }

  // MARK: Requests at the radio

  /// A request goes to the radio and to the record of traffic. Too many at once, and the client is not read until the radio
  /// has answered some.
  func begin(_ operation: ActivityOperation, _ detail: ActivityDetail, written: Int = 0) -> ActivityEntry {
    began()
    return session.server.activity.add(
      operation, detail, to: peripheral.activity, by: session.activityClient, written: written)
  }

  func finish(_ entry: ActivityEntry, read: Int = 0, error: BluetoothError? = nil) {
    finished()
    session.server.activity.finish(entry, read: read, error: error)
  }

  func record(_ operation: ActivityOperation, psm: UInt16, read: Int, written: Int, error: BluetoothError?) {
    finish(begin(operation, .channel(psm: psm), written: written), read: read, error: error)
  }

  /// The same for a request that is no traffic.
  func began() {
    outstanding += 1
    guard outstanding >= Self.outstandingLimit, !isReadingPaused, state != .ended else { return }
    isReadingPaused = true
    session.channel.pauseReading()
  }

  func finished() {
    outstanding -= 1
    if outstanding <= Self.outstandingLimit / 2 { resumeReading() }
  }

  private func resumeReading() {
    guard isReadingPaused else { return }
    isReadingPaused = false
    session.channel.resumeReading()
  }

  // MARK: Writes without response

  /// The radio has taken one, or it was dropped.
  func tookWrite() {
    guard session.features.contains(.flow) else { return }
    if takenWrites == 0 { BridgeQueue.atEndOfTurn { self.tellTakenWrites() } }
    takenWrites += 1
  }

  private func tellTakenWrites() {
    let count = takenWrites
    takenWrites = 0
    if state == .connected { session.send(.didTakeWrites(DidTakeWrites(id: id, count: count))) }
  }

  // MARK: Waiting and ending

  /// Runs what waits, as far as it can; `table` as known, or why there is none.
  func drain(_ table: Result<AttributeTable, BluetoothError>) {
    if requests.drain(table) {
      session.send(.didReadyToWriteWithoutResponse(DidReadyToWriteWithoutResponse(id: id)))
    }
  }

  /// Ends what hangs on it; the session and the peripheral have let go of it or are about to.
  ///
  /// - Parameter isAskedFor: requests that wait are dropped then, as CoreBluetooth does it, and answered otherwise.
  func end(_ error: BluetoothError, isAskedFor: Bool) {
    guard state != .ended else { return }
    if isAskedFor { requests.drop() } else { _ = requests.drain(.failure(error)) }
    state = .ended
    resumeReading()
    closeChannels(error)
  }

  func closeChannels(_ error: BluetoothError) {
    for opening in openings.values { opening.fail(error) }
    openings = [:]
    for channel in channels {
      channel.close()
      session.send(.l2capClosed(L2CAPClosed(channelId: channel.id)))
    }
    channels = []
  }
}
