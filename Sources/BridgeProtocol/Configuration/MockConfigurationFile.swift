/// A file of mock configurations in any of the shapes that ImpossiBLE has.
public struct MockConfigurationFile: Hashable, Sendable {
  public enum Shape: Hashable, Sendable {
    /// One configuration, as uploaded.
    case configuration
    /// `mock-configurations.json`.
    case configurations
    /// `mock-devices.json`.
    case devices
  }

  public var shape: Shape
  public var configurations: [MockConfiguration]

  public init(_ configurations: [MockConfiguration], shape: Shape? = nil) {
    self.configurations = configurations
    self.shape = shape ?? (configurations.count == 1 ? .configuration : .configurations)
  }

  /// Keys and values of a file together.
  static let maximumValues = 1 << 24

  /// Reads a local file leniently: what is absent has its default.
  ///
  /// - Parameters:
  ///   - name: of a configuration that has none, such as the file's.
  ///   - folder: where the file is, for paths in it.
  ///   - problems: set to what is wrong, in the order of the text; where one is an error, the file cannot be used.
  public init(
    _ bytes: [UInt8], name: String, folder: String? = nil, problems: inout [ConfigurationProblem]
  ) {
    var references: [LocalReference] = []
    self.init(bytes, name: name, folder: folder, problems: &problems, references: &references)
  }

  /// The same, and tells what of this machine the file names.
  public init(
    _ bytes: [UInt8], name: String, folder: String? = nil, problems: inout [ConfigurationProblem],
    references: inout [LocalReference]
  ) {
    self.init([], shape: .configurations)
    do throws(JSONSyntaxError) {
      let text = try JSONText(bytes, maximumValues: Self.maximumValues)
      let context = ConfigurationContext(text, mode: .lenient)
      text.withRoot { read($0, name: name, context) }
      for index in configurations.indices { configurations[index].fileFolder = folder }
      problems = context.problems
      references = context.references.map { reference in
        var reference = reference
        reference.folder = configuration(at: reference.path)?.scriptFolder
        return reference
      }
    } catch { problems = [Self.problem(error, in: bytes)] }
  }

  private mutating func read(_ root: JSONItem, name: String, _ context: ConfigurationContext) {
    switch root.kind {
    case .object:
      shape = .configuration
      configurations = [Self.configuration(root, name: name, context)]
    case .array where Self.holdsConfigurations(root):
      var index = 0
      root.forEachElement { item in
        let name = "\(name) \(index + 1)"
        configurations.append(context.inside("[\(index)]") { Self.configuration(item, name: name, context) })
        index += 1
      }
    case .array:
      shape = .devices
      var configuration = MockConfiguration()
      configuration.name = name
      configuration.devices = FieldCodec<[MockDevice]>.elements().read(root, context) ?? []
      configuration.complete(from: root, context)
      configurations = [configuration]
    default: context.report("neither a configuration nor a list of configurations or devices", at: root)
    }
  }

  /// The one in which a field is.
  private func configuration(at path: String) -> MockConfiguration? {
    guard shape == .configurations else { return configurations.first }
    guard let index = Int(path.dropFirst().prefix { $0 != "]" }), configurations.indices.contains(index) else {
      return nil
    }
    return configurations[index]
  }

  private static func configuration(
    _ item: JSONItem, name: String, _ context: ConfigurationContext
  ) -> MockConfiguration {
    var configuration = MockConfiguration(item, context)
    if configuration.name.isEmpty { configuration.name = name }
    return configuration
  }

  private static func holdsConfigurations(_ array: JSONItem) -> Bool {
    var result = false
    array.forEachElement { if $0["devices"] != nil { result = true } }
    return result
  }

  private static func problem(_ error: JSONSyntaxError, in bytes: [UInt8]) -> ConfigurationProblem {
    let place = bytes.place(of: error.offset)
    return ConfigurationProblem(
      path: "", reason: "not JSON: \(error.reason.rawValue)", line: place.line, column: place.column)
  }

  /// The file's text, laid out for people.
  public func json(isComplete: Bool = false) -> [UInt8] {
    var writer = ConfigurationWriter(isComplete: isComplete)
    switch shape {
    case .configuration where configurations.count == 1: configurations[0].append(to: &writer)
    case .devices where configurations.count == 1:
      writer.json.beginArray()
      for device in configurations[0].devices { device.append(to: &writer) }
      writer.json.endArray()
    default:
      writer.json.beginArray()
      for configuration in configurations { configuration.append(to: &writer) }
      writer.json.endArray()
    }
    return JSONIndenter.indented(writer.json.finish())
  }
}
