import BridgeIO
import BridgeProtocol
import DBus
import Radio
import Testing

@testable import BlueZBackend

/// Devices of both kinds, BR/EDR and LE, against a scripted bluetoothd.
@Suite @BridgeQueue struct BlueZRadioBearerTests: OnScriptedDaemon {
  private static let unknownMethod = DBusError(
    name: "org.freedesktop.DBus.Error.UnknownMethod", message: "Method \"Connect\" doesn't exist")

  /// Value of a `Set` of PreferredBearer.
  private func preference(_ call: ScriptedDaemon.Call) -> String? {
    let arguments = call.message.arguments
    guard arguments.count == 3, arguments[1].string == "PreferredBearer" else { return nil }
    if case .variant(let value) = arguments[2] { return value.string }
    return arguments[2].string
  }

  @Test func `LE is preferred for the connect of a device that may be of both kinds, and no longer`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      daemon.change(device, ["PreferredBearer": .string("last-used"), "RSSI": .int16(-41)])
      _ = await recorder.advertisement()
      radio.connect(peripheral)
      #expect(preference(await daemon.called("Set")) == "le")
      let call = await daemon.called("Connect")
      #expect(call.message.interface == BlueZ.Device.interface)
      daemon.change(device, ["PreferredBearer": .string("le"), "Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
      #expect(preference(await daemon.called("Set")) == "last-used")
    }
  }

  @Test func `a preference is put back when a connect is given up`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      daemon.change(device, ["PreferredBearer": .string("bredr"), "RSSI": .int16(-41)])
      _ = await recorder.advertisement()
      radio.connect(peripheral)
      #expect(preference(await daemon.called("Set")) == "le")
      radio.disconnect(peripheral)
      #expect(await recorder.linkNews() == .disconnected(peripheral, nil))
      #expect(preference(await daemon.called("Set")) == "bredr")
    }
  }

  @Test func `the LE bearer connects where it can be called`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      daemon.add(device, [BlueZ.BearerLE.interface: ["Connected": .boolean(false)]])
      daemon.change(device, ["PreferredBearer": .string("last-used"), "RSSI": .int16(-41)])
      _ = await recorder.advertisement()
      radio.connect(peripheral)
      let call = await daemon.called("Connect")
      #expect(call.message.interface == BlueZ.BearerLE.interface)
      daemon.change(device, ["Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
      #expect(daemon.counts["Set"] == nil)
    }
  }

  @Test func `a bearer without methods is asked once, then the device itself`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      daemon.add(device, [BlueZ.BearerLE.interface: [:]])
      daemon.change(device, ["RSSI": .int16(-41)])
      _ = await recorder.advertisement()
      radio.connect(peripheral)
      let refused = await daemon.called("Connect")
      #expect(refused.message.interface == BlueZ.BearerLE.interface)
      refused.fail(Self.unknownMethod)
      let failed = await daemon.called("Connect")
      #expect(failed.message.interface == BlueZ.Device.interface)
      failed.fail(ScriptedDaemon.failed)
      #expect(await daemon.called("Connect").message.interface == BlueZ.Device.interface)
    }
  }

  @Test func `BR/EDR taken for a connect is tried again with the scan on`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      radio.scan(nil)
      _ = await daemon.called("StopDiscovery")
      radio.connect(peripheral)
      await daemon.called("Connect").fail(
        DBusError(name: "org.bluez.Error.Failed", message: "br-connection-profile-unavailable"))
      _ = await daemon.called("StartDiscovery")
      let call = await daemon.called("Connect")
      daemon.change(device, ["Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
    }
  }

  @Test func `random addresses are LE anyway`() async throws {
    try await run { radio, daemon, recorder, _ in
      let random = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
      radio.scan(RadioScan(allowDuplicates: false))
      daemon.addDevice(
        random,
        advertised.merging([
          "Address": .string("C0:00:00:00:00:01"), "AddressType": .string("random"),
          "PreferredBearer": .string("last-used"),
        ]) { $1 })
      let peripheral = await recorder.advertisement().peripheral
      daemon.add(random, [BlueZ.BearerLE.interface: [:]])
      daemon.change(random, ["RSSI": .int16(-41)])
      _ = await recorder.advertisement()
      radio.connect(peripheral)
      #expect(await daemon.called("Connect").message.interface == BlueZ.Device.interface)
      #expect(daemon.counts["Set"] == nil)
    }
  }
}
