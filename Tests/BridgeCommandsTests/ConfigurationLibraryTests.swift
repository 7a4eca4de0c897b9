import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeCommands

@Suite struct ConfigurationLibraryTests {
  private let folder = TemporaryFolder()
  private var library: ConfigurationLibrary { ConfigurationLibrary(stateDirectory: folder.file("state")) }

  @Test func stockConfigurationsAreThereByName() throws {
    #expect(library.entries.map(\.name) == MockConfiguration.stock.map(\.name))
    #expect(try library.configuration(named: "heart rate monitor").devices.map(\.name) == ["Polar H10"])
    #expect(throws: ConfigurationFailure.self) { try library.configuration(named: "Moon") }
  }

  @Test(arguments: ["Lamps", "../../etc/passwd", "..", "Büro 1/2", "a%2Fb", ".hidden", "100 %"])
  func anyNameIsKept(_ name: String) throws {
    try library.add(MockConfiguration(name: name, devices: [.lamp]))
    #expect(library.entries.last?.name == name)
    #expect(try library.configuration(named: name).devices == [.lamp])
    #expect(library.knows(name) && !library.knows(name + "x"))
    let file = ConfigurationLibrary.file(of: name)
    #expect(!file.contains("/") && !file.hasPrefix("."))
  }

  @Test func aPipeAmongTheConfigurationsIsNotWaitedAt() throws {
    try library.add(MockConfiguration(name: "Lamps", devices: [.lamp]))
    #expect(mkfifo(folder.file("state/configurations/Pipe.json"), 0o600) == 0)
    #expect(library.entries.last?.name == "Lamps")
    #expect(throws: ConfigurationFailure.self) { try library.configuration(named: "Pipe") }
  }

  @Test func importingAgainReplaces() throws {
    try library.add(MockConfiguration(name: "Lamps", devices: [.lamp]))
    try library.add(MockConfiguration(name: "Lamps"))
    #expect(try library.configuration(named: "LAMPS").devices.isEmpty)
    #expect(library.entries.count == MockConfiguration.stock.count + 1)
  }

  @Test func namesThatCannotBeAreRefused() {
    for name in ["", "Device Information", "device information", String(repeating: "ü", count: 100)] {
      #expect(throws: ConfigurationFailure.self) { try library.add(MockConfiguration(name: name)) }
    }
  }

  @Test func aRelativePathOfAnImportedFileLedToTheFolderOfImports() throws {
    folder.write(
      #"""
      {"name": "Log", "devices": [{"services": [{"uuid": "180D", "characteristics": [
        {"uuid": "2A37", "properties": 16, "behavior": {"source": {"kind": "csv", "file": "log.csv", "value": "bpm"}}}
      ]}]}]}
      """#, to: "log.json")
    let original = try library.configuration(folder.file("log.json"))
    let place = try #require(original.scriptFolder)
    #expect(place.hasPrefix("/") && place.hasSuffix(folder.path))
    try library.add(original)
    #expect(try library.configuration(named: "Log").scriptFolder == place)
  }

  @Test func theExampleOfWhatDevicesCanDoHasNoMistake() throws {
    let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = try ConfigurationFile(project.path() + "Examples/mock/behaviour.json")
    #expect(file.problems.isEmpty, "\(file.problems)")
    #expect(try file.usable().first?.devices.count ?? 0 > 1)
  }

  @Test func aDamagedFileIsListedWithWhatIsWrong() throws {
    try library.add(MockConfiguration(name: "Lamps"))
    folder.write(#"{"devices": [{"id": 7}]}"#, to: "state/configurations/Lamps.json")
    guard case .failure(let failure)? = library.entries.last?.configuration else {
      Issue.record("accepted")
      return
    }
    #expect(failure.text.contains("Lamps.json:1:21: error: devices[0].id: "), "\(failure.text)")
  }

  @Test func aFileIsTakenWhereANameCanBe() throws {
    folder.write(#"[{"name": "Lamp", "services": []}]"#, to: "lamps.json")
    let configuration = try library.configuration(folder.file("lamps.json"))
    #expect(configuration.name == "lamps" && configuration.devices.map(\.name) == ["Lamp"])
    folder.write(#"[{"name": "A", "devices": []}, {"name": "B", "devices": []}]"#, to: "two.json")
    do throws(ConfigurationFailure) {
      _ = try library.configuration(folder.file("two.json"))
      Issue.record("accepted")
    } catch { #expect(error.text.contains("'A', 'B'")) }
    #expect(throws: ConfigurationFailure.self) { try library.configuration("/nonexistent/x.json") }
  }
}

extension MockDevice {
  static let lamp = MockDevice(
    id: PeripheralIdentifier(high: 1, low: 2), name: "Lamp",
    services: [
      MockService(
        uuid: BluetoothUUID(short: 0x180F),
        characteristics: [
          MockCharacteristic(uuid: BluetoothUUID(short: 0x2A19), properties: .read, value: [42])
        ])
    ])
}
