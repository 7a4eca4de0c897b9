/// The object that a value was read from, for writing it again as it stood; no part of what the value means.
struct ConfigurationOrigin: Sendable {
  private var place: (text: JSONText, index: Int)?

  /// Made here, not read.
  init() {}

  init(_ item: JSONItem, of text: JSONText) { place = (text, item.index) }

  var isKnown: Bool { place != nil }

  func withItem<Result>(_ body: (JSONItem?) -> Result) -> Result {
    guard let place else { return body(nil) }
    return place.text.withItem(at: place.index) { body($0) }
  }
}

extension ConfigurationOrigin: Hashable {
  static func == (left: ConfigurationOrigin, right: ConfigurationOrigin) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
