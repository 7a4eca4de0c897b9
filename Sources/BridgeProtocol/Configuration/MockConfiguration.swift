/// A world of virtual peripherals: ImpossiBLE's mock configuration, with our additions.
public struct MockConfiguration: Hashable, Sendable, ConfigurationElement {
  public var id = MockIdentifier.none
  public var name = ""
  public var devices: [MockDevice] = []
  public var behavior: MockBehavior<ConfigurationBehavior>?
  /// Where paths in it begin, itself seen from the folder of the file that it is from; nil for that folder.
  public var folder: String?
  /// Of the file that it is from, if it is.
  public var fileFolder: String?
  var origin = ConfigurationOrigin()

  init() {}

  public init(id: MockIdentifier? = nil, name: String, devices: [MockDevice] = []) {
    self.id = id ?? MockIdentifier(derivedFrom: name)
    self.name = name
    self.devices = devices
  }

  static let fields: [ConfigurationField<MockConfiguration>] = [
    .init("id", \.id, .identifier), .init("name", \.name, .string), .init("devices", \.devices, .elements()),
    .init("behavior", optional: \.behavior, .behavior()), .init("folder", optional: \.folder, .string),
  ]

  mutating func complete(from item: JSONItem, _ context: ConfigurationContext) {
    giveIdentifiers()
    // It could name no files anyway.
    if context.mode == .strict { folder = nil }
    var seen: Set<PeripheralIdentifier> = []
    for (index, device) in devices.enumerated() where !seen.insert(device.id).inserted {
      context.warn("the id of an earlier device, which counts", path: "devices[\(index)].id", at: item)
    }
  }

  /// Whoever has none gets one that stays the same as long as the names and their order do.
  mutating func giveIdentifiers() {
    if id == .none { id = MockIdentifier(derivedFrom: name) }
    var counts: [String: Int] = [:]
    for index in devices.indices where devices[index].id == .none {
      let device = devices[index].name
      counts[device, default: 0] += 1
      devices[index].id = PeripheralIdentifier(derivedFrom: "\(name)/\(device)/\(counts[device, default: 0])")
    }
  }
}

extension MockConfiguration {
  /// Where paths in it begin.
  public var scriptFolder: String? {
    guard let folder else { return fileFolder }
    guard !folder.hasPrefix("/"), let fileFolder else { return folder }
    return "\(fileFolder)/\(folder)"
  }

  /// Whether it names files or programs of this machine.
  public var reachesIntoMachine: Bool {
    devices.contains { device in
      device.services.contains { service in
        service.characteristics.contains { $0.behavior?.content.localField != nil }
      }
    }
  }

  /// Reads an upload, just as strictly as ImpossiBLE's provider: every key of its format must be there.
  ///
  /// Beyond that UUIDs must be well formed, and nothing may reach into this machine.
  /// - Throws: the first mistake, its path that of the field: `devices[3].services[0].uuid`.
  public init(upload: JSONText) throws(ConfigurationProblem) {
    let context = ConfigurationContext(upload, mode: .strict)
    self = upload.withRoot { MockConfiguration($0, context) }
    if let error = context.firstError { throw error }
  }

  /// The object on one line, without line end: keys as they were read, unknown ones kept.
  ///
  /// - Parameter isComplete: whether keys that ImpossiBLE requires are written even if the file left them out.
  public func json(isComplete: Bool = true) -> [UInt8] {
    var writer = ConfigurationWriter(isComplete: isComplete)
    append(to: &writer)
    return writer.json.finish()
  }
}
