import BridgeIO
import BridgeProtocol
import DBus
import Radio

/// One request of a `GATTClient`, from being asked for to its completion.
@BridgeQueue
final class GATTRequest {
  enum Work {
    case read
    case write([UInt8])
    case command([UInt8])
    case notify(Bool)
    /// Never sent: completes in its place in the order.
    case refuse(BluetoothError)
  }

  enum Completion {
    case value(RadioCompletion<[UInt8]>)
    case done(RadioCompletion<Void>)
  }

  let work: Work
  /// Nil only for a refused request.
  let attribute: Attribute?
  let completion: Completion

  /// When it was first sent.
  var started = ContinuousClock.Instant.now
  var call: PendingCall?
  /// Until the next try, or until an error that may mean a lost link is believed.
  var timer: QueueTimer?
  /// A command that proved too long for one packet, and goes as a request.
  var isSentAsRequest = false
  private(set) var isFinished = false

  init(_ work: Work, _ attribute: Attribute?, _ completion: Completion) {
    self.work = work
    self.attribute = attribute
    self.completion = completion
  }

  var isCommand: Bool { if case .command = work { true } else { false } }

  var valueBytes: Int {
    switch work {
    case .write(let value), .command(let value): value.count
    case .read, .notify, .refuse: 0
    }
  }

  var operation: GATTOperation {
    switch work {
    case .read, .refuse: .read
    case .write: .write
    case .command: isSentAsRequest ? .write : .writeCommand
    case .notify(let enabled): enabled ? .startNotify : .stopNotify
    }
  }

  /// Lets go of the call and the timer; what still comes for this request is ignored.
  func finish() {
    isFinished = true
    call?.cancel()
    call = nil
    timer?.cancel()
    timer = nil
  }

  func complete(_ value: [UInt8]) {
    switch completion {
    case .value(let completion): completion(.success(value))
    case .done(let completion): completion(.success(()))
    }
  }

  func fail(_ error: BluetoothError) {
    switch completion {
    case .value(let completion): completion(.failure(error))
    case .done(let completion): completion(.failure(error))
    }
  }
}
