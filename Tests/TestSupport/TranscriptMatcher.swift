package import BridgeProtocol

/// Compares what a service sends with what a transcript has: ids are mapped by order of appearance, times and texts
/// ignored, as the transcripts' README says.
package struct TranscriptMatcher {
  /// The transcript's attribute and channel ids, as the service writes them.
  private var ids: [String: String] = [:]
  private static let idKeys: Set = ["id", "serviceId", "characteristicId", "descriptorId", "channelId", "serviceIds"]
  private static let ignored: Set = ["timestamp", "error"]

  package init() {}

  /// A request of the transcript with the ids that the service has given.
  package func withOurIDs(_ message: JSONValue) -> JSONValue {
    guard let members = message.objectValue else { return message }
    return .object(
      members.mapValues { value in
        guard let text = value.stringValue, let ours = ids[text] else { return value }
        return .string(ours)
      })
  }

  /// - Returns: what differs, in words; codes that only the service has do not count.
  package mutating func differences(_ expected: JSONValue, _ actual: JSONValue, key: String = "") -> [String] {
    switch (expected, actual) {
    case (.object(let expected), .object(let actual)):
      let extra = Set(actual.keys).subtracting(expected.keys).subtracting(["errorDomain", "errorCode"])
      var found = extra.sorted().map { "\($0) is too much in \(actual)" }
      for (key, value) in expected {
        if let other = actual[key] {
          found += differences(value, other, key: key)
        } else {
          found.append("\(key) is missing in \(actual)")
        }
      }
      return found
    case (.array(let expected), .array(let actual)):
      if expected.count != actual.count { return ["\(key): \(actual) instead of \(expected)"] }
      return zip(expected, actual).flatMap { differences($0, $1, key: key) }
    case (.string(let expected), .string(let actual)) where Self.idKeys.contains(key) && expected.contains(":"):
      let known = ids[expected] ?? actual
      ids[expected] = known
      return known == actual && actual.hasPrefix(expected.prefix { $0 != ":" })
        ? [] : ["\(key): \(actual) instead of \(known)"]
    default:
      let areSame =
        Self.ignored.contains(key)
        ? (expected.stringValue == "") == (actual.stringValue == "") : expected == actual
      return areSame ? [] : ["\(key): \(actual) instead of \(expected)"]
    }
  }
}
