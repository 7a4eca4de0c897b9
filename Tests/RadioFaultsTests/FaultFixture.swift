import BridgeIO
import BridgeProtocol
import Radio
import RadioFaults
import TestSupport

/// A scripted radio with faults, a device on it, and who hears it.
@BridgeQueue
final class FaultFixture {
  let inner = ScriptedRadio()
  let plan = FaultPlan()
  let radio: FaultRadio
  let recorder = EventRecorder()
  let lamp = PeripheralIdentifier(high: 0xA, low: 0xB)
  static let level: AttributeHandle = 2
  static let name: AttributeHandle = 3
  static let other: AttributeHandle = 11

  init(transactionTimeout: Duration = .seconds(30)) {
    radio = FaultRadio(inner, plan: plan, transactionTimeout: transactionTimeout)
    let level = GATTCharacteristic(
      handle: Self.level, uuid: BluetoothUUID(short: 0x2A19), properties: [.read, .write, .notify],
      descriptors: [GATTDescriptor(handle: Self.name, uuid: BluetoothUUID(short: 0x2901))])
    let other = GATTCharacteristic(
      handle: Self.other, uuid: BluetoothUUID(short: 0x2A29), properties: [.read, .notify])
    inner.devices[lamp] = ScriptedRadio.Device(
      name: "Lamp",
      database: GATTDatabase(services: [
        GATTService(
          handle: 1, uuid: BluetoothUUID(short: 0x180F), isPrimary: true, characteristics: [level]),
        GATTService(
          handle: 10, uuid: BluetoothUUID(short: 0x180A), isPrimary: true, characteristics: [other]),
      ]))
    radio.observer = recorder
    radio.start()
    _ = recorder.take()
  }

  /// Connects, discovers, and forgets what was heard of it.
  func connect() async {
    radio.connect(lamp)
    _ = await eventually { recorder.events.contains("connected") }
    radio.discoverServices(of: lamp, completion: recorder.noting("discovery"))
    _ = await eventually { recorder.events.contains("discovery done") }
    _ = recorder.take()
    _ = inner.takeCommands()
  }

  func set(_ operation: FaultOperation, _ change: (inout FaultRule) -> Void) {
    var rule = FaultRule(operation)
    change(&rule)
    precondition(rule.problem == nil, "\(rule.problem!)")
    plan.add(rule)
  }

  func read(_ attribute: AttributeHandle = level, _ name: String = "read") {
    radio.read(attribute, of: lamp, completion: recorder.noting(name))
  }

  /// What was heard, once `count` events were.
  func events(_ count: Int) async -> [String] {
    _ = await eventually { recorder.events.count >= count }
    await turns()
    return recorder.take()
  }
}
