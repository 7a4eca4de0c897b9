import BridgeIO
import BridgeProtocol

/// What the service was last told to serve: `radio.json` in the state directory.
struct SavedChoice: Hashable, Sendable {
  var mode: RadioMode?
  /// The name of a configuration of the library.
  var mockConfiguration: String?

  private static func path(_ stateDirectory: String) -> String { stateDirectory + "/radio.json" }
  private static let sizeLimit = 64 << 10

  init(mode: RadioMode? = nil, mockConfiguration: String? = nil) {
    self.mode = mode
    self.mockConfiguration = mockConfiguration
  }

  /// Nothing is chosen where there is no file or no sense in it.
  init(in stateDirectory: String) {
    let path = Self.path(stateDirectory)
    do {
      guard let bytes = try WholeFile.read(path, limit: Self.sizeLimit) else { return }
      let value = try JSONValue(json: bytes)
      mode = value["mode"]?.stringValue.flatMap(RadioMode.init)
      mockConfiguration = value["mockConfiguration"]?.stringValue
    } catch { Log.error("serve", "\(path) is not read: \(error)") }
  }

  func save(in stateDirectory: String) throws(SystemError) {
    var members: [String: JSONValue] = [:]
    if let mode { members["mode"] = .string(mode.rawValue) }
    if let mockConfiguration { members["mockConfiguration"] = .string(mockConfiguration) }
    try WholeFile.replace(Self.path(stateDirectory), with: JSONValue.object(members).jsonLine())
  }
}
