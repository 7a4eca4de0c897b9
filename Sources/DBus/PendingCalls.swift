public import BridgeIO

/// A call in flight.
@BridgeQueue
public final class PendingCall {
  public typealias Completion = @BridgeQueue (Result<Message, DBusError>) -> Void

  private let serial: UInt32
  private var completion: Completion?
  /// Holds this call while it is pending; that circle ends with the reply, `cancel`, or the connection.
  private var table: PendingCalls?

  init(serial: UInt32, in table: PendingCalls?, completion: @escaping Completion) {
    self.serial = serial
    self.table = table
    self.completion = completion
  }

  public var isPending: Bool { completion != nil }

  /// Forgets the call: its completion is dropped, a late reply ignored.
  public func cancel() {
    completion = nil
    table?.remove(serial)
    table = nil
  }

  func complete(_ result: Result<Message, DBusError>) {
    let completion = completion
    self.completion = nil
    table = nil
    completion?(result)
  }
}

/// Calls awaiting their replies, by serial. Our own, not libdbus': its pending calls each cost a lock, a timer and a
/// second lookup.
@BridgeQueue
final class PendingCalls {
  private var calls: [UInt32: PendingCall] = [:]

  func add(serial: UInt32, completion: @escaping PendingCall.Completion) -> PendingCall {
    let call = PendingCall(serial: serial, in: self, completion: completion)
    calls[serial] = call
    return call
  }

  func remove(_ serial: UInt32) { calls.removeValue(forKey: serial) }

  /// Hands a reply or an error to its call, if someone still awaits it.
  func complete(_ reply: Message) {
    guard let call = calls.removeValue(forKey: reply.replySerial) else { return }
    if let error = reply.error { call.complete(.failure(error)) } else { call.complete(.success(reply)) }
  }

  /// Fails all calls in the order in which they were made.
  func failAll(_ error: DBusError) {
    let failing = calls.sorted { $0.key < $1.key }
    calls = [:]
    for (_, call) in failing { call.complete(.failure(error)) }
  }
}
