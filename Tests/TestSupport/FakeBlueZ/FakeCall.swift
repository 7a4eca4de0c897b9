public import BridgeIO
public import DBus

/// A method call that the fake has received: for the journal, for hooks, and to answer.
@BridgeQueue
public final class FakeCall {
  public let path: String
  public let interface: String
  public let member: String
  public let sender: String
  public private(set) lazy var arguments: [Value] = message.arguments

  let message: Message
  /// Does what bluetoothd would do.
  var body: (@BridgeQueue (FakeCall) -> Void)?
  private var answer: CallAnswer?
  private let beforeReply: @BridgeQueue () -> Void
  private var keptReply: Result<[Value], DBusError>?
  var repliesAreHeld = false
  var repliesAreLost = false

  typealias CallAnswer = @BridgeQueue (Result<[Value], DBusError>) -> Void

  init(_ message: Message, beforeReply: @escaping @BridgeQueue () -> Void, answer: @escaping CallAnswer) {
    self.message = message
    self.answer = answer
    self.beforeReply = beforeReply
    path = message.path ?? ""
    interface = message.interface ?? ""
    member = message.member ?? ""
    sender = message.sender ?? ""
  }

  /// Whether a reply was sent or given up.
  public var isOver: Bool { answer == nil }

  public func reply(_ values: Value...) { finish(.success(values)) }
  public func fail(_ error: DBusError) { finish(.failure(error)) }

  /// Signals of what the reply implies go out before it, as bluetoothd's do.
  func finish(_ result: Result<[Value], DBusError>) {
    if repliesAreLost { return lose() }
    if repliesAreHeld {
      keptReply = result
      return
    }
    guard let answer else { return }
    self.answer = nil
    beforeReply()
    answer(result)
  }

  /// Never answers.
  public func lose() { answer = nil }

  /// Of a call held before or after it was performed: goes on as bluetoothd would.
  public func release() {
    repliesAreHeld = false
    if let result = keptReply {
      keptReply = nil
      finish(result)
    } else {
      perform()
    }
  }

  func perform() {
    let body = body
    self.body = nil
    body?(self)
  }
}

/// What the fake does with a call.
public enum FakeAction: Sendable {
  /// As bluetoothd does.
  case perform
  /// Does it, but the reply never comes.
  case performAndLoseReply
  /// Does it; the reply waits for `FakeCall.release`.
  case performAndHoldReply
  /// Does nothing else.
  case reply([Value])
  /// Does nothing else.
  case fail(DBusError)
  /// Neither does nor answers anything.
  case lose
  /// Nothing until `FakeCall.release`.
  case hold
  /// Does it after a while.
  case delay(Duration)
}
