import BridgeIO
public import DBus

extension Connection {
  /// Awaits the reply. For tests without a duty of order: a signal sent behind it may be handled first.
  public func call(_ message: Message) async throws(DBusError) -> Message {
    let result: Result<Message, DBusError> = await withCheckedContinuation { continuation in
      call(message) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  public func requestName(_ name: String) async throws(DBusError) {
    let error: DBusError? = await withCheckedContinuation { continuation in
      requestName(name) { continuation.resume(returning: $0) }
    }
    if let error { throw error }
  }

  /// Returns when the bus has handled all that was sent before.
  public func roundTrip() async throws(DBusError) { _ = try await call(busCall("GetId")) }
}
