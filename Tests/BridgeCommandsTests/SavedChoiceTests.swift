import BlueZBackend
import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

@testable import BridgeCommands

@Suite struct SavedChoiceTests {
  private let folder = TemporaryFolder()
  private var state: String { folder.file("deep/state") }

  @Test func whatIsSavedIsThereAgain() throws {
    #expect(SavedChoice(in: state) == SavedChoice())
    let choice = SavedChoice(mode: .both, mockConfiguration: "Büro \"1\"")
    try choice.save(in: state)
    #expect(SavedChoice(in: state) == choice)
  }

  @Test(arguments: ["", "{", "[]", #"{"mode": 7, "mockConfiguration": []}"#, #"{"mode": "sideways"}"#])
  func aDamagedFileIsNoChoice(_ text: String) throws {
    try SavedChoice(mode: .off).save(in: state)
    folder.write(text, to: "deep/state/radio.json")
    #expect(SavedChoice(in: state) == SavedChoice())
  }

  // MARK: With the command line

  private func choice(_ saved: SavedChoice, _ configure: (inout ServeSettings) -> Void = { _ in }) throws -> RadioChoice
  {
    var settings = ServeSettings()
    settings.stateDirectory = state
    configure(&settings)
    return try settings.choice(saved)
  }

  @Test func theCommandLineWinsOverWhatWasChosen() throws {
    let saved = SavedChoice(mode: .mock, mockConfiguration: "Device Information")
    #expect(try choice(SavedChoice()).mode == .auto)
    #expect(try choice(SavedChoice()).configuration.name == "Heart Rate Monitor")
    #expect(try choice(SavedChoice()) { $0.bluez.adapter = .name("hci1") }.mode == .bluez)
    #expect(try choice(saved) { $0.bluez.adapter = .name("hci1") }.mode == .mock)
    #expect(try choice(saved).configuration.name == "Device Information")
    let told = try choice(saved) {
      $0.mode = .both
      $0.mockConfiguration = "dense sensor environment"
    }
    #expect(told.mode == .both && told.configuration.name == "Dense Sensor Environment")
  }

  @Test func aChosenConfigurationThatIsGoneDoesNotKeepTheServiceFromStarting() throws {
    #expect(try choice(SavedChoice(mockConfiguration: "Gone")).configuration.name == "Heart Rate Monitor")
    #expect(throws: ConfigurationFailure.self) { try choice(SavedChoice()) { $0.mockConfiguration = "Gone" } }
  }
}
