import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import RadioFaults
import TestSupport
import Testing

/// A world with one device, `Lamp`, made of a configuration's text.
@BridgeQueue
struct ScriptedWorld {
  let world: VirtualWorld
  let device: PeripheralIdentifier

  var radio: VirtualRadio { world.radio }

  static let level = BluetoothUUID(short: 0x2A19)
  static let name = BluetoothUUID(short: 0x2A29)

  /// - Parameters:
  ///   - level: the behaviour of the battery level, which can be read, written and notified.
  ///   - folder: where its files are.
  init(
    level: String = "{}", device: String = "{}", world: String = "{}", information: String = "{}", folder: String? = nil
  ) throws {
    let configuration = try Self.configuration(
      level: level, device: device, world: world, information: information, folder: folder)
    self.device = configuration.devices[0].id
    self.world = VirtualWorld(configuration)
  }

  static func configuration(
    level: String = "{}", device: String = "{}", world: String = "{}", information: String = "{}", folder: String? = nil
  ) throws -> MockConfiguration {
    let text = """
      {"name": "Test", "behavior": \(world), "devices": [{"name": "Lamp", "rssi": -60, "behavior": \(device), "services": [
        {"uuid": "180F", "characteristics": [
          {"uuid": "2A19", "properties": 30, "value": "ZA==", "behavior": \(level)}]},
        {"uuid": "180A", "behavior": \(information), "characteristics": [
          {"uuid": "2A29", "properties": 18, "value": "QQ=="}]}]}]}
      """
    var problems: [ConfigurationProblem] = []
    let file = MockConfigurationFile(Array(text.utf8), name: "test", folder: folder, problems: &problems)
    #expect(problems.isEmpty, "\(problems)")
    return try #require(file.configurations.first)
  }

  func handle(_ uuid: BluetoothUUID = level) -> AttributeHandle {
    radio.attributes(of: device).first { $0.uuid == uuid }?.handle ?? 0
  }

  func connect() async { await world.connect(device) }

  func subscribe(_ uuid: BluetoothUUID = level) async { _ = await world.setNotify(true, handle(uuid), device) }

  func read(_ uuid: BluetoothUUID = level) async -> [UInt8]? { try? await world.read(handle(uuid), device).get() }

  func write(_ value: [UInt8], _ uuid: BluetoothUUID = level) async -> BluetoothError? {
    await world.write(value, handle(uuid), device)
  }

  /// Notified so far.
  var values: [[UInt8]] { world.events.compactMap { if case .notified(let value, _) = $0 { value } else { nil } } }

  /// Services that are gone, of each change so far.
  var changes: [[AttributeHandle]] {
    world.events.compactMap { if case .modified(let gone) = $0 { gone } else { nil } }
  }

  /// What was notified, once it is `count` values.
  func values(_ count: Int) async -> [[UInt8]] {
    _ = await eventually { values.count >= count }
    return Array(values.prefix(count))
  }

  func stop() async {
    _ = await result { (done: @escaping @BridgeQueue (Bool) -> Void) in radio.stop { done(true) } }
  }
}

/// Lets real time pass, for what must not happen in it.
@BridgeQueue
func pass(_ time: Duration) async {
  _ = await result { (done: @escaping @BridgeQueue (Bool) -> Void) in QueueTimer(after: time) { done(true) } }
}
