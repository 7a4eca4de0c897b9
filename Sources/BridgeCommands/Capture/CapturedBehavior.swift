import BridgeProtocol

/// What a captured characteristic does by itself (docs/configuration.md).
enum CapturedBehavior {
  /// What was notified, again at its times, over and over while somebody is subscribed; besides what it did otherwise.
  static func notifying(
    _ values: [(at: Duration, value: [UInt8])], besides known: MockBehavior<CharacteristicBehavior>?
  ) -> MockBehavior<CharacteristicBehavior>? {
    let list = values.map { at, value in
      JSONValue.object(["at": .double(seconds(at)), "value": .string(base64(value))])
    }
    var members = known?.json.value?.objectValue ?? [:]
    members["source"] = .object(["kind": .string("list"), "values": .array(list)])
    return behavior(members) ?? known
  }

  /// - Parameter code: the ATT error.
  static func failingReads(_ code: Int) -> MockBehavior<CharacteristicBehavior>? {
    behavior(["readError": .integer(code)])
  }

  /// nil if a device did what no behaviour can say.
  private static func behavior(_ members: [String: JSONValue]) -> MockBehavior<CharacteristicBehavior>? {
    try? MockBehavior(characteristic: JSONText(.object(members)))
  }

  /// To the millisecond.
  private static func seconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds * 1000 + attoseconds / 1_000_000_000_000_000) / 1000
  }

  private static func base64(_ value: [UInt8]) -> String {
    var text: [UInt8] = []
    Base64.encode(value, into: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
