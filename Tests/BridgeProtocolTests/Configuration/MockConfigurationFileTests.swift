import BridgeProtocol
import Testing

@Suite struct MockConfigurationFileTests {
  private func read(_ text: String) -> (file: MockConfigurationFile, problems: [ConfigurationProblem]) {
    var problems: [ConfigurationProblem] = []
    let file = MockConfigurationFile(Array(text.utf8), name: "shelf", problems: &problems)
    return (file, problems)
  }

  @Test func theThreeShapesAreTold() {
    #expect(
      read(#"{"id":"0C0FFEE0-0000-4000-8000-00000000AAAA","name":"One","devices":[]}"#).file.shape == .configuration)
    let several = read(#"[{"name":"One","devices":[]},{"devices":[{"name":"Thing"}]}]"#)
    #expect(several.file.shape == .configurations && several.problems.isEmpty)
    #expect(several.file.configurations.map(\.name) == ["One", "shelf 2"])
    let devices = read(#"[{"name":"Thing"},{"name":"Other"}]"#)
    #expect(devices.file.shape == .devices && devices.problems.isEmpty)
    #expect(devices.file.configurations.map(\.name) == ["shelf"])
    #expect(devices.file.configurations[0].devices.map(\.name) == ["Thing", "Other"])
    #expect(read("[]").file.configurations[0].devices.isEmpty)
  }

  @Test func manyMistakesAtTheEndOfALongTextAreFoundWithTheirPlaces() {
    let many = Array(repeating: "{}", count: 100_000).joined(separator: ",")
    let text =
      "{\"x\":[\(many)],\"devices\":[\n\(Array(repeating: "{\"rssi\":\"é\", \"mtu\":1}", count: 300).joined(separator: ",\n"))]}"
    let start = ContinuousClock.now
    let problems = read(text).problems
    #expect(ContinuousClock.now - start < .seconds(60))
    #expect(problems.count == 200)
    #expect(problems.dropFirst().prefix(3).map { [$0.line, $0.column] } == [[2, 9], [2, 20], [3, 9]])
  }

  @Test func whatIsAbsentHasADefault() throws {
    let (file, problems) = read(#"{"devices":[{"services":[{"uuid":"180F","characteristics":[{"uuid":"2A19"}]}]}]}"#)
    #expect(problems.isEmpty)
    let device = file.configurations[0].devices[0]
    #expect(file.configurations[0].name == "shelf")
    #expect(device.name == "Mock Device" && device.rssi == -50 && device.isConnectable && device.isEnabled)
    #expect(device.services[0].isPrimary && device.services[0].characteristics[0].properties == .read)
    #expect(device.services[0].characteristics[0].valueLifetime == .untilTeardown)
  }

  @Test func devicesWithoutIDKeepTheirsFromLoadToLoad() {
    let text = #"{"name":"Shop","devices":[{"name":"Tag"},{"name":"Tag"},{"name":"Scale"}]}"#
    let ids = read(text).file.configurations[0].devices.map(\.id)
    #expect(Set(ids).count == 3)
    #expect(read(text).file.configurations[0].devices.map(\.id) == ids)
    // Another device in between changes nothing for the others.
    let more = #"{"name":"Shop","devices":[{"name":"Lamp"},{"name":"Tag"},{"name":"Tag"},{"name":"Scale"}]}"#
    #expect(read(more).file.configurations[0].devices.dropFirst().map(\.id) == ids)
  }

  @Test func eachMistakeIsToldWithItsPlace() {
    let (_, problems) = read(
      """
      {"name": "Käfer 🐞", "devices": [
        {"name": 7, "rssi": "strong",
         "services": [{"uuid": "18OF", "characteristics": [{"properties": 2}]}]},
        {"id": "nonsense", "advertisedServiceUUIDs": ["180D", 12]}
      ]}
      """)
    let told = problems.map { "\($0.line):\($0.column) \($0)" }
    #expect(
      told == [
        "2:12 devices[0].name: not a string", "2:23 devices[0].rssi: not an integer",
        "3:26 devices[0].services[0].uuid: not a UUID",
        "3:54 devices[0].services[0].characteristics[0].uuid: missing",
        "4:10 devices[1].id: not a UUID", "4:57 devices[1].advertisedServiceUUIDs[1]: not a string",
      ])
    #expect(problems.allSatisfy { $0.severity == .error })
  }

  @Test func aTextThatIsNotJSONIsToldWithItsPlace() {
    let problem = read("{\"name\": \"x\",\n  devices: []}").problems[0]
    #expect(problem.line == 2 && problem.column == 3)
    #expect(problem.description == "not JSON: unexpected character")
    #expect(read("17").problems.count == 1)
    #expect(read("").problems.count == 1)
  }

  @Test func suspiciousThingsAreWarnings() {
    let (file, problems) = read(
      """
      {"devices": [{"name": "A", "id": "6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4E01", "colour": 1, "pairingMode": 2, "passkey": "12"},
       {"name": "B", "id": "6f1c1d0a-3b52-4e0b-9c55-0a1b2c3d4e01", "name": "C"}]}
      """)
    #expect(file.configurations[0].devices.map(\.name) == ["A", "B"])
    #expect(problems.allSatisfy { $0.severity == .warning })
    #expect(
      Set(problems.map(\.description)) == [
        "devices[0].colour: unknown key, kept but not used", "devices[0].passkey: not six digits",
        "devices[1].name: written twice; the first counts", "devices[1].id: the id of an earlier device, which counts",
      ])
  }

  @Test func anIncludedServiceMustBeThere() {
    let (_, problems) = read(
      """
      {"devices": [{"services": [{"uuid": "180F", "includedServices": ["0C0FFEE0-0000-4000-8000-000000000006"]}]}]}
      """)
    #expect(problems.map(\.description) == ["devices[0].services[0].includedServices[0]: no service of this device"])
  }

  @Test func aFileWrittenAgainKeepsKeysOrderAndNumbers() {
    let text = """
      {"zeta":[1,2.50,1e3,{"b":null,"a":"\\u00e4\\/"}],"name":"One","devices":[{"rssi":-4.70e1,"x":0.10,"services":[\
      {"uuid":"0000180f-0000-1000-8000-00805f9b34fb","characteristics":[{"value":null,"uuid":"2a19","properties":2.0}],\
      "y":{}}],"id":"6f1c1d0a-3b52-4e0b-9c55-0a1b2c3d4e01","isEnabled":1,"behavior":{"k":1.0}}],\
      "id":"0c0ffee0-0000-4000-8000-00000000aaaa"}
      """
    let file = read(text).file
    #expect(String(decoding: file.configurations[0].json(isComplete: false), as: UTF8.self) == text)
    // The laid out text too, white space aside.
    let laidOut = String(decoding: file.json(), as: UTF8.self)
    #expect(laidOut.filter { $0 != " " && $0 != "\n" } == text)
    #expect(laidOut.hasPrefix("{\n  \"zeta\": [\n    1,\n    2.50,"))
  }

  @Test func aChangeIsWrittenInItsPlace() {
    var file = read(
      #"{"note":"mine","name":"One","devices":[{"name":"A","rssi":-4e1,"id":"6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4E01"}],"id":"0C0FFEE0-0000-4000-8000-00000000AAAA"}"#
    ).file
    file.configurations[0].devices[0].name = "B"
    file.configurations[0].devices[0].txPower = 4
    #expect(
      String(decoding: file.configurations[0].json(isComplete: false), as: UTF8.self)
        == #"{"note":"mine","name":"One","devices":[{"name":"B","rssi":-4e1,"id":"6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4E01","txPower":4}],"id":"0C0FFEE0-0000-4000-8000-00000000AAAA"}"#
    )
  }

  @Test func aCompleteTextOfALenientFileIsAGoodUpload() throws {
    let file = read(#"[{"name":"Thing","services":[{"uuid":"180F","characteristics":[{"uuid":"2A19"}]}]}]"#).file
    let upload = try MockConfiguration(upload: JSONText(file.configurations[0].json()))
    #expect(upload.devices[0].name == "Thing" && upload.devices[0].id == file.configurations[0].devices[0].id)
  }

  @Test func tenThousandDevicesLoadQuickly() throws {
    var big = MockConfiguration(name: "Big")
    let model = try #require(MockConfiguration.stock(named: "Multi-Service Sensor")).devices[0]
    for number in 0..<10_000 {
      var device = model
      device.id = PeripheralIdentifier(derivedFrom: "Big/\(number)")
      device.name = "Sensor \(number)"
      big.devices.append(device)
    }
    let text = MockConfigurationFile([big]).json()
    var problems: [ConfigurationProblem] = []
    let start = ContinuousClock.now
    let file = MockConfigurationFile(text, name: "big", problems: &problems)
    let time = ContinuousClock.now - start
    #expect(problems.isEmpty)
    #expect(file.configurations[0] == big)
    // Ten times what a release build may take: this one is not optimised.
    #expect(time < .seconds(20), "\(text.count) bytes took \(time)")
  }
}
