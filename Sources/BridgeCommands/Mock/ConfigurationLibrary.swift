import BridgeIO
import BridgeProtocol
import Glibc

/// The mock configurations that can be served by name: ImpossiBLE's four, and those imported into the state directory.
struct ConfigurationLibrary: Sendable {
  /// What stands in a list of them.
  struct Entry {
    var name: String
    /// nil for one that comes with bridge.
    var path: String?
    /// Or why it cannot be used.
    var configuration: Result<MockConfiguration, ConfigurationFailure>
  }

  private let folder: String
  private static let suffix = ".json"
  /// Bytes of a file name; file systems take 255.
  private static let nameLimit = 240

  init(stateDirectory: String) { folder = stateDirectory + "/configurations" }

  // MARK: Finding

  /// Stock ones first, then by name.
  var entries: [Entry] {
    let stock = MockConfiguration.stock.map { Entry(name: $0.name, path: nil, configuration: .success($0)) }
    let imported = importedNames.map { name in
      let path = path(of: name)
      return Entry(name: name, path: path, configuration: Result { () throws(ConfigurationFailure) in try load(path) })
    }
    return stock + imported
  }

  private var importedNames: [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let file = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if file.hasSuffix(Self.suffix), let name = Self.name(ofFile: file.dropLast(Self.suffix.count)),
        Self.isFile("\(folder)/\(file)")
      {
        names.append(name)
      }
    }
    return names.sorted()
  }

  /// Not a pipe, at which a reader waits for a writer.
  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The configuration of that name, upper or lower case alike.
  func configuration(named name: String) throws(ConfigurationFailure) -> MockConfiguration {
    if let stock = MockConfiguration.stock(named: name) { return stock }
    let names = importedNames
    guard let found = names.first(where: { $0 == name }) ?? names.first(where: { $0.lowercased() == name.lowercased() })
    else {
      let known = MockConfiguration.stock.map(\.name) + names
      throw ConfigurationFailure(
        "There is no configuration '\(name)', nor is one imported into \(folder). There are: \(known.joined(separator: ", "))."
      )
    }
    var configuration = try load(path(of: found))
    // It is the file that counts, should someone have edited it.
    configuration.name = found
    return configuration
  }

  /// Whether there is one of just that name.
  func knows(_ name: String) -> Bool {
    MockConfiguration.stock.contains { $0.name == name } || access(path(of: name), F_OK) == 0
  }

  /// A name, or a file that has one configuration.
  func configuration(_ nameOrFile: String) throws(ConfigurationFailure) -> MockConfiguration {
    if nameOrFile.contains("/") || nameOrFile.hasSuffix(Self.suffix) || access(nameOrFile, F_OK) == 0 {
      return try load(nameOrFile)
    }
    return try configuration(named: nameOrFile)
  }

  private func load(_ path: String) throws(ConfigurationFailure) -> MockConfiguration {
    let configurations = try ConfigurationFile(path).usable()
    guard configurations.count == 1 else {
      let names = configurations.map { "'\($0.name)'" }.joined(separator: ", ")
      throw ConfigurationFailure(
        "\(path) has \(configurations.count) configurations (\(names)): 'bridge mock import' makes each of them a name."
      )
    }
    return configurations[0]
  }

  // MARK: Adding

  /// Keeps a configuration under its name, in place of an imported one that had it.
  func add(_ configuration: MockConfiguration) throws(ConfigurationFailure) {
    guard MockConfiguration.stock(named: configuration.name) == nil else {
      throw ConfigurationFailure(
        "'\(configuration.name)' is the name of a configuration that comes with bridge: give another with --name.")
    }
    let path = path(of: configuration.name)
    guard !configuration.name.isEmpty, path.utf8.count - folder.utf8.count <= Self.nameLimit else {
      throw ConfigurationFailure("A configuration needs a name of some 100 characters at most: give one with --name.")
    }
    var configuration = configuration
    // Its files stay where they are.
    if configuration.reachesIntoMachine { configuration.folder = configuration.scriptFolder }
    do throws(SystemError) {
      try WholeFile.replace(path, with: MockConfigurationFile([configuration], shape: .configuration).json())
    } catch { throw ConfigurationFailure("\(path): \(error)") }
  }

  // MARK: Names of files

  private func path(of name: String) -> String { "\(folder)/\(Self.file(of: name))\(Self.suffix)" }

  /// Letters, digits and a few marks as they are, all else as %XX, so that any name is a file's.
  static func file(of name: String) -> String {
    name.utf8.enumerated().map { index, byte in
      let isPlain =
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "):
          true
        case UInt8(ascii: "."): index > 0
        default: false
        }
      if isPlain { return String(UnicodeScalar(byte)) }
      return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// nil for a file that this library did not name.
  static func name(ofFile file: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Substring(file).utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard let name = String(validating: bytes, as: UTF8.self), self.file(of: name) == file else { return nil }
    return name
  }
}

/// Why there is no such configuration to serve, in sentences.
struct ConfigurationFailure: Error, Hashable {
  var text: String
  init(_ text: String) { self.text = text }
}
