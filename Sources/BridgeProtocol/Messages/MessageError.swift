/// How a failing reply tells its error.
enum ErrorFields {
  /// Text, domain and code, which ImpossiBLE's client reads in replies to reads and writes of characteristics.
  case always
  /// Text; domain and code for clients with the `errors` feature.
  case withFeature
}

extension JSONWriter {
  /// Writes `error`, empty for success, and domain and code where they go. A failure never has empty text, which
  /// would read as success.
  mutating func error(_ error: BluetoothError?, _ fields: ErrorFields = .withFeature, for features: Features) {
    key("error")
    guard let error else { return string("" as StaticString) }
    string(error.text.isEmpty ? BluetoothError.unknown.text : error.text)
    guard fields == .always || features.contains(.errors), error.domain != .impossible else { return }
    key("errorDomain")
    string(error.domain.rawValue)
    key("errorCode")
    int(error.code)
  }
}

extension MessageFields {
  /// Null and absent read as success; domain and code together mean failure, whatever the text.
  func error() throws(FieldError) -> BluetoothError? {
    let text = try optionalString("error") ?? ""
    if let name = try optionalString("errorDomain"), let code = try optionalInt("errorCode") {
      guard let domain = BluetoothError.Domain(rawValue: name), domain != .impossible else { return .impossible(text) }
      return BluetoothError(domain, code, text)
    }
    return text.isEmpty ? nil : .impossible(text)
  }
}

extension BluetoothError {
  /// A failure of which only the text is known.
  public static func impossible(_ text: String) -> BluetoothError { BluetoothError(.impossible, 1, text) }
}
