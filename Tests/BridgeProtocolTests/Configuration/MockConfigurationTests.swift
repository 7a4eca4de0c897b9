import BridgeProtocol
import TestSupport
import Testing

@Suite struct MockConfigurationTests {
  /// The fixture that the golden transcripts upload.
  static let orchard: JSONValue = {
    let lines = try? Transcript(named: "03-mock-gatt-read-write-descriptor").lines
    return lines?.lazy.compactMap { $0.message["configuration"] }.first ?? .null
  }()

  /// The fixture with one member of a device, service or characteristic replaced; nil takes it out.
  private func upload(_ path: [PathStep], _ value: JSONValue?) throws -> MockConfiguration {
    try MockConfiguration(upload: JSONText(Self.orchard.replacing(path[...], value)))
  }

  private func problem(_ path: [PathStep], _ value: JSONValue?) -> String {
    do throws(ConfigurationProblem) {
      _ = try MockConfiguration(upload: JSONText(Self.orchard.replacing(path[...], value)))
      return ""
    } catch { return error.description }
  }

  @Test func anUploadIsReadWhole() throws {
    let configuration = try MockConfiguration(upload: JSONText(Self.orchard))
    #expect(configuration.name == "Orchard fixture")
    #expect(configuration.devices.count == 4)
    let probe = configuration.devices[0]
    #expect(probe.id == PeripheralIdentifier("6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4E01"))
    #expect(probe.rssi == -47 && probe.isConnectable && probe.isEnabled && probe.pairingMode == .justWorks)
    #expect(probe.advertisedServiceUUIDs == [BluetoothUUID(short: 0x181A)])
    let secured = probe.services[1].characteristics[0]
    #expect(secured.properties == [.read, .write] && secured.securityLevel == .encryption)
    #expect(secured.value == [0x01, 0xFF] && secured.descriptors[0].value == Array("Valve".utf8))
    #expect(configuration.devices[1].manufacturerData == [0xFF, 0xFF, 0x0B, 0xAD, 0xCA, 0xFE, 0x01])
    #expect(configuration.devices[2].passkey == "428160" && configuration.devices[2].pairingMode == .passkey)
    #expect(!configuration.devices[3].isEnabled)
  }

  @Test(arguments: [
    "id", "name", "rssi", "isConnectable", "isEnabled", "advertisedServiceUUIDs", "pairingMode", "passkey", "services",
  ])
  func anUploadNeedsEachKeyOfADevice(_ key: String) {
    #expect(problem(["devices", 1, .key(key)], nil) == "devices[1].\(key): missing")
    #expect(problem(["devices", 1, .key(key)], .null) == "devices[1].\(key): missing")
  }

  @Test(arguments: ["id", "uuid", "isPrimary", "characteristics"])
  func anUploadNeedsEachKeyOfAService(_ key: String) {
    #expect(problem(["devices", 0, "services", 2, .key(key)], nil) == "devices[0].services[2].\(key): missing")
  }

  @Test(arguments: ["id", "uuid", "properties", "securityLevel", "descriptors"])
  func anUploadNeedsEachKeyOfACharacteristic(_ key: String) {
    #expect(
      problem(["devices", 0, "services", 0, "characteristics", 1, .key(key)], nil)
        == "devices[0].services[0].characteristics[1].\(key): missing")
  }

  @Test func anUploadNeedsIDNameAndDevices() {
    #expect(problem(["id"], nil) == "id: missing")
    #expect(problem(["name"], nil) == "name: missing")
    #expect(problem(["devices"], nil) == "devices: missing")
    #expect(problem(["devices"], .object([:])) == "devices: not an array")
    #expect(problem(["devices", 2], .integer(1)) == "devices[2]: not an object")
  }

  @Test func anUploadWithAWrongTypeIsRefused() {
    #expect(problem(["devices", 0, "rssi"], .string("-81")) == "devices[0].rssi: not an integer")
    #expect(problem(["devices", 0, "rssi"], .double(-8.5)) == "devices[0].rssi: not an integer")
    #expect(problem(["devices", 0, "isEnabled"], .integer(1)) == "devices[0].isEnabled: not true or false")
    #expect(problem(["devices", 0, "pairingMode"], .integer(3)) == "devices[0].pairingMode: out of range")
    #expect(problem(["devices", 0, "id"], .string("6F1C")) == "devices[0].id: not a UUID")
    #expect(
      problem(["devices", 0, "advertisedServiceUUIDs", 0], .string("181"))
        == "devices[0].advertisedServiceUUIDs[0]: not a UUID")
    #expect(problem(["devices", 1, "manufacturerData"], .string("/")) == "devices[1].manufacturerData: not base64")
    let characteristic: [PathStep] = ["devices", 0, "services", 0, "characteristics", 0]
    let place = "devices[0].services[0].characteristics[0]"
    #expect(problem(characteristic + ["securityLevel"], .integer(2)) == "\(place).securityLevel: out of range")
    #expect(problem(characteristic + ["properties"], .integer(-1)) == "\(place).properties: out of range")
    #expect(problem(characteristic + ["uuid"], .string("2A6G")) == "\(place).uuid: not a UUID")
    #expect(
      problem(characteristic + ["descriptors", 1, "value"], .bool(true))
        == "\(place).descriptors[1].value: not a string")
  }

  @Test func anUploadMayHaveUnknownKeysAndNullForOptionals() throws {
    let configuration = try upload(["devices", 0, "color"], .string("red"))
    #expect(configuration.devices.count == 4)
    #expect(try upload(["devices", 1, "manufacturerData"], .null).devices[1].manufacturerData == nil)
    #expect(try upload(["devices", 0, "rssi"], .double(-47)).devices[0].rssi == -47)
  }

  @Test func anUploadMustNotReachIntoTheMachine() {
    let socket: JSONValue = .object(["psm": .integer(128), "kind": .string("socket"), "path": .string("/run/other")])
    #expect(problem(["devices", 0, "l2cap"], .array([socket])) == "devices[0].l2cap[0].kind: not allowed in an upload")
  }

  @Test func ourKeysAreReadInUploadsToo() throws {
    var device = try upload(["devices", 0, "txPower"], .integer(-8)).devices[0]
    #expect(device.txPower == -8)
    device = try upload(["devices", 0, "serviceData"], .object(["180F": .string("Vw==")])).devices[0]
    #expect(device.serviceData == [BluetoothUUID(short: 0x180F): [0x57]])
    device = try upload(["devices", 0, "behavior"], .object(["seed": .integer(7)])).devices[0]
    #expect(device.behavior?.content.seed == 7)
    #expect(problem(["devices", 0, "mtu"], .integer(22)) == "devices[0].mtu: out of range")
  }

  @Test func aWrittenConfigurationIsReadAgainTheSame() throws {
    let configuration = try MockConfiguration(upload: JSONText(Self.orchard))
    let again = try MockConfiguration(upload: JSONText(configuration.json()))
    #expect(again == configuration)
    // And made anew, without the text that it came from.
    var copy = MockConfiguration(id: configuration.id, name: configuration.name)
    copy.devices = configuration.devices.map { device in
      var copy = MockDevice(id: device.id, name: device.name, services: device.services)
      copy.rssi = device.rssi
      copy.isConnectable = device.isConnectable
      copy.isEnabled = device.isEnabled
      copy.advertisedServiceUUIDs = device.advertisedServiceUUIDs
      copy.manufacturerData = device.manufacturerData
      copy.pairingMode = device.pairingMode
      copy.passkey = device.passkey
      return copy
    }
    #expect(try MockConfiguration(upload: JSONText(copy.json())) == configuration)
  }

  @Test func derivedIdentifiersAreSpreadAndStable() {
    #expect(MockIdentifier(derivedFrom: "a").text == "D228CB69-6F1A-8CAF-B891-2B704E4A8964")
    let texts = (0..<2000).map { PeripheralIdentifier(derivedFrom: "Device \($0)") }
    #expect(Set(texts).count == 2000)
    #expect(texts.allSatisfy { $0.high >> 12 & 0xF == 8 && $0.low >> 62 == 2 })
  }
}

/// A key or an index.
enum PathStep: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  case key(String)
  case index(Int)
  init(stringLiteral value: String) { self = .key(value) }
  init(integerLiteral value: Int) { self = .index(value) }
}

extension JSONValue {
  /// The value with what is at `path` replaced; nil takes it out.
  func replacing(_ path: ArraySlice<PathStep>, _ value: JSONValue?) -> JSONValue {
    guard let step = path.first else { return value ?? .null }
    let isLast = path.count == 1
    switch (step, self) {
    case (.key(let key), .object(var members)):
      members[key] = isLast ? value : members[key]?.replacing(path.dropFirst(), value)
      return .object(members)
    case (.index(let index), .array(var elements)):
      elements[index] = elements[index].replacing(path.dropFirst(), value)
      return .array(elements)
    default: return self
    }
  }
}
