import BridgeIO
import BridgeProtocol
import DBus
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

/// Tests of the whole radio against a scripted bluetoothd on a private bus, with one device at hand.
@BridgeQueue
protocol OnScriptedDaemon {}

extension OnScriptedDaemon {
  var device: String { "/org/bluez/hci0/dev_00_00_00_00_00_01" }
  var properties: [String: Value] {
    [
      "Address": .string("00:00:00:00:00:01"), "AddressType": .string("public"), "Connected": .boolean(false),
      "ServicesResolved": .boolean(false), "Paired": .boolean(false),
    ]
  }

  var advertised: [String: Value] {
    properties.merging(["RSSI": .int16(-40), "Name": .string("Sensor")]) { $1 }
  }

  /// A radio, on a bus with a daemon, that has reached poweredOn.
  func run(
    devices: [(String, [String: Value])] = [], timing: BlueZTiming = .quick,
    _ body: @BridgeQueue (BlueZRadio, ScriptedDaemon, RadioRecorder, PrivateBus) async throws -> Void
  ) async throws {
    try await PrivateBus.run { bus in
      let daemon = try await ScriptedDaemon.start(on: bus, devices: devices)
      let (radio, recorder) = makeRadio(bus, timing: timing)
      await recorder.state(.poweredOn)
      try await body(radio, daemon, recorder, bus)
      daemon.automatic.insert("Disconnect")
      await withCheckedContinuation { done in radio.stop { done.resume() } }
      daemon.stop()
    }
  }

  func makeRadio(
    _ bus: PrivateBus, timing: BlueZTiming = .quick,
    configure: (inout BlueZConfiguration) -> Void = { _ in }
  ) -> (BlueZRadio, RadioRecorder) {
    var configuration = BlueZConfiguration()
    configuration.busAddress = bus.address
    configuration.agent.mode = .none
    configuration.timing = timing
    configure(&configuration)
    let radio = BlueZRadio(configuration)
    let recorder = RadioRecorder()
    radio.observer = recorder
    Kept.keep(recorder)
    Kept.keep(radio)
    radio.start()
    return (radio, recorder)
  }

  func link(
    _ radio: BlueZRadio, _ daemon: ScriptedDaemon, _ recorder: RadioRecorder
  ) async -> PeripheralIdentifier {
    let peripheral = await find(radio, daemon, recorder)
    radio.connect(peripheral)
    let call = await daemon.called("Connect")
    daemon.change(device, ["Connected": .boolean(true)])
    call.succeed()
    #expect(await recorder.linkNews() == .connected(peripheral))
    return peripheral
  }

  func find(
    _ radio: BlueZRadio, _ daemon: ScriptedDaemon, _ recorder: RadioRecorder
  ) async -> PeripheralIdentifier {
    radio.scan(RadioScan(allowDuplicates: false))
    _ = await daemon.called("StartDiscovery")
    daemon.addDevice(device, advertised)
    return await recorder.advertisement().peripheral
  }
}

extension BlueZTiming {
  static var quick: BlueZTiming {
    var timing = BlueZTiming()
    timing.absenceGrace = .milliseconds(100)
    timing.restartSettle = .milliseconds(50)
    timing.powerSettle = .milliseconds(30)
    timing.scanBusyDelay = .milliseconds(20)
    timing.connectRetryFirst = .milliseconds(10)
    timing.busRetryFirst = .milliseconds(20)
    return timing
  }

  static func quick(_ limit: WritableKeyPath<BlueZTiming, Duration>, _ value: Duration) -> BlueZTiming {
    var timing = quick
    timing[keyPath: limit] = value
    return timing
  }
}

/// Keeps alive what a test holds on to by its effects only.
@BridgeQueue
private enum Kept {
  private static var objects: [AnyObject] = []
  static func keep(_ object: AnyObject) { objects.append(object) }
}
