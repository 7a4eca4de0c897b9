import BridgeProtocol

/// Configurations as the command line shows them.
enum MockListing {
  // MARK: For programs

  static func json(_ entry: ConfigurationLibrary.Entry, isInUse: Bool) -> String {
    switch entry.configuration {
    case .success(let configuration): json(configuration, isStock: entry.path == nil, isInUse: isInUse)
    case .failure(let failure):
      object(["name": .string(entry.name), "from": .string("import"), "error": .string(failure.text)])
    }
  }

  static func json(_ configuration: MockConfiguration, isStock: Bool, isInUse: Bool?) -> String {
    var members: [String: JSONValue] = [
      "name": .string(configuration.name), "from": .string(isStock ? "bridge" : "import"),
      "devices": .integer(configuration.devices.count),
    ]
    if let isInUse { members["isInUse"] = .bool(isInUse) }
    return object(members)
  }

  static func object(_ members: [String: JSONValue]) -> String {
    String(decoding: JSONValue.object(members).jsonLine().dropLast(), as: UTF8.self)
  }

  // MARK: For people

  static func text(_ entries: [ConfigurationLibrary.Entry], inUse name: String) -> String {
    table(
      ["", "NAME", "FROM", "DEVICES"],
      entries.map { entry in
        let devices =
          switch entry.configuration {
          case .success(let configuration): "\(configuration.devices.count)"
          case .failure(let failure): "cannot be used: \(failure.text)"
          }
        return [entry.name == name ? "*" : "", entry.name, entry.path == nil ? "bridge" : "import", devices]
      })
  }

  static func count(of devices: Int) -> String { devices == 1 ? "1 device" : "\(devices) devices" }

  static func devices(of configuration: MockConfiguration) -> String {
    let head = Terminal.clean("\(configuration.name): \(count(of: configuration.devices.count))")
    guard !configuration.devices.isEmpty else { return head }
    let rows = configuration.devices.map { device in
      [
        device.name.isEmpty ? "-" : device.name, device.id.text, "\(device.rssi)", traits(device),
        device.advertisedServiceUUIDs.map(\.text).joined(separator: " "),
        device.services.map { "\($0.uuid.text) (\($0.characteristics.count))" }.joined(separator: " "),
      ]
    }
    return head + "\n\n" + table(["NAME", "IDENTIFIER", "RSSI", "", "ADVERTISED", "SERVICES"], rows)
  }

  private static func traits(_ device: MockDevice) -> String {
    var traits: [String] = []
    if !device.isConnectable { traits.append("not connectable") }
    if !device.isEnabled { traits.append("hidden") }
    switch device.pairingMode {
    case .none: break
    case .justWorks: traits.append("pairs")
    case .passkey: traits.append("passkey")
    }
    return traits.joined(separator: ", ")
  }
}
