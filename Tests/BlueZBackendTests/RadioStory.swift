import BlueZBackend
import BridgeIO
import BridgeProtocol
import Radio
import TestSupport
import Testing

/// A radio on the fake bluetoothd, and what it told, in order and in words.
@BridgeQueue
final class RadioStory: RadioObserver {
  let fake: FakeBlueZ
  let radio: BlueZRadio
  var told: [String] = []
  /// The peripheral heard last.
  private(set) var heard: PeripheralIdentifier?

  /// Runs `body` once the radio is powered on.
  static func run(
    agent: AgentMode = .auto, _ body: @BridgeQueue (FakeBlueZ, RadioStory) async throws -> Void
  ) async throws {
    try await PrivateBus.run { bus in
      let fake = try await FakeBlueZ.start(on: bus)
      let story = RadioStory(fake, bus, agent)
      story.radio.start()
      #expect(await story.tells("poweredOn"))
      try await body(fake, story)
      await withCheckedContinuation { done in story.radio.stop { done.resume() } }
    }
  }

  private init(_ fake: FakeBlueZ, _ bus: PrivateBus, _ agent: AgentMode) {
    self.fake = fake
    var configuration = BlueZConfiguration()
    configuration.busAddress = bus.address
    configuration.agent.mode = agent
    configuration.timing.restartSettle = .milliseconds(50)
    configuration.timing.powerSettle = .milliseconds(30)
    configuration.timing.connectRetryFirst = .milliseconds(10)
    configuration.timing.busRetryFirst = .milliseconds(20)
    radio = BlueZRadio(configuration)
    radio.observer = self
  }

  /// Waits until `event` is told; what was told up to it is forgotten.
  func tells(_ event: String) async -> Bool {
    guard await eventually({ told.contains(event) }) else {
      Issue.record("\(event) is not among \(told)")
      return false
    }
    told.removeFirst((told.firstIndex(of: event) ?? 0) + 1)
    return true
  }

  /// Finds and connects the device.
  func connect(_ device: FakeDevice) async throws -> PeripheralIdentifier {
    device.isAdvertising = true
    radio.scan(RadioScan(allowDuplicates: false))
    #expect(await tells("advertisement"))
    let peripheral = try #require(heard)
    radio.connect(peripheral)
    #expect(await tells("connected"))
    return peripheral
  }

  func database(of peripheral: PeripheralIdentifier) async throws -> GATTDatabase {
    try await result { radio.discoverServices(of: peripheral, completion: $0) }.get()
  }

  // MARK: RadioObserver

  func radioDidUpdateState(_ radio: any Radio) { told.append(radio.state.name) }
  func radio(_ radio: any Radio, didReceive advertisement: Advertisement) {
    heard = advertisement.peripheral
    told.append("advertisement")
  }
  func radio(_ radio: any Radio, didConnect peripheral: PeripheralIdentifier) { told.append("connected") }
  func radio(_ radio: any Radio, didFailToConnect peripheral: PeripheralIdentifier, error: BluetoothError) {
    told.append("failed \(error.code)")
  }
  func radio(_ radio: any Radio, didDisconnect peripheral: PeripheralIdentifier, error: BluetoothError?) {
    told.append("disconnected \(error?.code ?? 0)")
  }
  func radio(_ radio: any Radio, connectionEvent isConnected: Bool, for peripheral: PeripheralIdentifier) {}
  func radio(_ radio: any Radio, didUpdateName name: String, of peripheral: PeripheralIdentifier) {}
  func radio(_ radio: any Radio, didModifyServices removed: [AttributeHandle], of peripheral: PeripheralIdentifier) {
    told.append("modified \(removed)")
  }
  func radio(
    _ radio: any Radio, didNotify value: [UInt8], characteristic: AttributeHandle, of peripheral: PeripheralIdentifier
  ) { told.append("value \(value)") }
  func radio(_ radio: any Radio, isReadyToWriteWithoutResponse peripheral: PeripheralIdentifier) {}
  func radio(_ radio: any Radio, didUpdateMaximumWriteLengthOf peripheral: PeripheralIdentifier) {}
}
