import BridgeIO
import BridgeProtocol
import DBus
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

/// The whole radio against a scripted bluetoothd on a private bus.
@Suite @BridgeQueue struct BlueZRadioTests: OnScriptedDaemon {
  // MARK: State

  @Test func `without bluetoothd the radio is unsupported after a while, and says why`() async throws {
    try await PrivateBus.run { bus in
      let (radio, recorder) = makeRadio(bus)
      #expect(radio.state == .unknown)
      await recorder.state(.unsupported)
      #expect(radio.description.problem?.contains("bluetoothd is not running") == true)
      let daemon = try await ScriptedDaemon.start(on: bus)
      await recorder.state(.poweredOn)
      #expect(radio.description == RadioDescription(kind: "bluez", adapter: "hci0", address: "00:00:00:00:00:AA"))
      daemon.stop()
      await recorder.state(.resetting)
      await recorder.state(.unsupported)
    }
  }

  @Test func `a restart of the bus is survived`() async throws {
    try await run { radio, daemon, recorder, bus in
      await bus.kill()
      await recorder.state(.resetting)
      try await bus.restart()
      let second = try await ScriptedDaemon.start(on: bus)
      await recorder.state(.poweredOn)
      second.stop()
    }
  }

  @Test func `power is switched on only where that is configured`() async throws {
    try await PrivateBus.run { bus in
      let daemon = try await ScriptedDaemon.start(on: bus, powered: false)
      let (first, recorder) = makeRadio(bus)
      await recorder.state(.poweredOff)
      #expect(first.description.problem?.contains("--power-on") == true)
      #expect(daemon.counts["Set"] == nil)
      let (_, other) = makeRadio(bus, configure: { $0.powersOn = true })
      await other.state(.poweredOff)
      let set = await daemon.called("Set")
      #expect(
        set.message.arguments == [.string(BlueZ.Adapter.interface), .string("Powered"), .variant(.boolean(true))])
      daemon.setPowered(true)
      await other.state(.poweredOn)
      daemon.stop()
    }
  }

  @Test func `a replugged adapter is found under its new number`() async throws {
    try await run(timing: .quick(\.absenceGrace, .seconds(5))) { radio, daemon, recorder, _ in
      daemon.remove(ScriptedDaemon.adapter, [BlueZ.Adapter.interface])
      await recorder.state(.unknown)
      daemon.add("/org/bluez/hci3", ScriptedDaemon.adapterInterfaces("00:00:00:00:00:AA", true))
      await recorder.state(.poweredOn)
      #expect(radio.description.adapter == "hci3")
    }
  }

  // MARK: Scanning

  @Test func `the discovery filter is always whole and never by service`() async throws {
    try await run { radio, daemon, _, _ in
      radio.scan(RadioScan(allowDuplicates: true))
      let filter = await daemon.called("SetDiscoveryFilter")
      #expect(
        filter.message.arguments == [
          .properties(["Transport": .string("le"), "DuplicateData": .boolean(true), "RSSI": .int16(-127)])
        ])
      _ = await daemon.called("StartDiscovery")
      radio.scan(RadioScan(allowDuplicates: false))
      let second = await daemon.called("SetDiscoveryFilter")
      #expect(second.message.arguments.first?.properties?["DuplicateData"] == .boolean(false))
      radio.scan(nil)
      _ = await daemon.called("StopDiscovery")
      #expect(daemon.counts["StartDiscovery"] == 1)
    }
  }

  @Test func `stored devices are reported only when they are received`() async throws {
    try await run(devices: [(device, properties)]) { radio, daemon, recorder, _ in
      radio.scan(RadioScan(allowDuplicates: false))
      _ = await daemon.called("StartDiscovery")
      daemon.change(device, ["Alias": .string("old")])
      daemon.change(device, ["RSSI": .int16(-77)])
      let advertisement = await recorder.advertisement()
      #expect(advertisement.rssi == -77)
      #expect(recorder.advertisements.isEmpty)
    }
  }

  @Test func `no advertisement is told without a scan`() async throws {
    try await run { radio, daemon, recorder, _ in
      daemon.addDevice(device, advertised)
      daemon.setPowered(false)
      await recorder.state(.poweredOff)
      #expect(recorder.advertisements.isEmpty)
    }
  }

  @Test func `start and stop never overlap`() async throws {
    try await run { radio, daemon, _, _ in
      daemon.automatic.remove("StartDiscovery")
      radio.scan(RadioScan(allowDuplicates: false))
      let start = await daemon.called("StartDiscovery")
      radio.scan(nil)
      radio.scan(RadioScan(allowDuplicates: false))
      radio.scan(nil)
      #expect(daemon.counts["StopDiscovery"] == nil)
      start.succeed()
      _ = await daemon.called("StopDiscovery")
      #expect(daemon.counts["StartDiscovery"] == 1)
    }
  }

  @Test func `a refused start is repeated after a stop`() async throws {
    try await run { radio, daemon, _, _ in
      daemon.automatic.remove("StartDiscovery")
      radio.scan(RadioScan(allowDuplicates: false))
      await daemon.called("StartDiscovery").fail(ScriptedDaemon.inProgress)
      _ = await daemon.called("StopDiscovery")
      await daemon.called("StartDiscovery").succeed()
    }
  }

  @Test func `the scan is resumed after a power cycle`() async throws {
    try await run { radio, daemon, recorder, _ in
      radio.scan(RadioScan(allowDuplicates: false))
      _ = await daemon.called("StartDiscovery")
      daemon.setPowered(false)
      await recorder.state(.poweredOff)
      daemon.setPowered(true)
      await recorder.state(.poweredOn)
      _ = await daemon.called("StartDiscovery")
    }
  }

  @Test func `the scan is resumed after a restart of bluetoothd`() async throws {
    try await run { radio, daemon, recorder, bus in
      radio.scan(RadioScan(allowDuplicates: false))
      _ = await daemon.called("StartDiscovery")
      daemon.stop()
      await recorder.state(.resetting)
      let second = try await ScriptedDaemon.start(on: bus)
      await recorder.state(.poweredOn)
      _ = await second.called("StartDiscovery")
      second.addDevice(device, advertised)
      _ = await recorder.advertisement()
      second.stop()
    }
  }

  @Test func `a scan that hears nothing is started anew`() async throws {
    try await run(timing: .quick(\.scanWatchdog, .milliseconds(40))) { radio, daemon, _, _ in
      radio.scan(RadioScan(allowDuplicates: false))
      _ = await daemon.called("StartDiscovery")
      _ = await daemon.called("StopDiscovery")
      _ = await daemon.called("StartDiscovery")
    }
  }

  @Test func `a second scan hears what is being received already`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      radio.scan(RadioScan(allowDuplicates: false))
      #expect(await recorder.advertisement().peripheral == peripheral)
    }
  }

  @Test func `a reappearing device keeps its identifier`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      daemon.remove(device)
      daemon.addDevice(device, advertised)
      #expect(await recorder.advertisement().peripheral == peripheral)
      #expect(radio.name(of: peripheral) == "Sensor")
      #expect(radio.address(of: peripheral) == "00:00:00:00:00:01")
    }
  }

  @Test func `the scan pauses for the connect to a device that is there, and goes on afterwards`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      radio.connect(peripheral)
      let call = await daemon.called("Connect")
      _ = await daemon.called("StopDiscovery")
      daemon.change(device, ["Connected": .boolean(true)])
      _ = await daemon.called("StartDiscovery")
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
    }
  }

  @Test func `the scan goes on while a device with a private address is connected`() async throws {
    let address = "40:00:00:00:00:01"
    try await run { radio, daemon, recorder, _ in
      radio.scan(RadioScan(allowDuplicates: false))
      _ = await daemon.called("StartDiscovery")
      daemon.addDevice(
        device, advertised.merging(["Address": .string(address), "AddressType": .string("random")]) { $1 })
      let peripheral = await recorder.advertisement().peripheral
      radio.connect(peripheral)
      let call = await daemon.called("Connect")
      daemon.change(device, ["Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
      #expect(daemon.counts["StopDiscovery"] == nil)
    }
  }

  @Test func `a twin takes the place of an object that bluetoothd merges away`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      let twin = "/org/bluez/hci0/dev_00_00_00_00_00_02"
      daemon.addDevice(twin, advertised)
      daemon.remove(device)
      daemon.change(twin, ["RSSI": .int16(-50)])
      let advertisement = await recorder.advertisement()
      #expect(advertisement.peripheral == peripheral && advertisement.rssi == -50)
    }
  }

  @Test func `a name read from the device is told`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      daemon.change(device, ["Name": .string("GAP name")])
      _ = await recorder.next { $0 == .name("GAP name") }
      #expect(radio.name(of: peripheral) == "GAP name")
    }
  }

  @Test func `a name that bluetoothd asks for only once is read at every connection`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      daemon.add(
        device + "/service0001",
        [BlueZ.GATT.service: ["UUID": .string("00001800-0000-1000-8000-00805f9b34fb"), "Primary": .boolean(true)]])
      daemon.add(
        device + "/service0001/char0002",
        [
          BlueZ.GATT.characteristic: [
            "UUID": .string("00002a00-0000-1000-8000-00805f9b34fb"), "Flags": .strings(["read"]),
          ]
        ])
      daemon.change(device, ["ServicesResolved": .boolean(true)])
      let first = await daemon.called("ReadValue")
      #expect(first.path == device + "/service0001/char0002")
      first.succeed(.bytes(Array("First\0".utf8)))
      #expect(await recorder.next { $0 == .name("First") } == .name("First"))
      daemon.change(device, ["ServicesResolved": .boolean(false), "Connected": .boolean(false)])
      #expect(await recorder.linkNews() == .disconnected(peripheral, .peripheralDisconnected))
      // An advertisement puts the advertised name in its place; the device's own one stays.
      daemon.change(device, ["RSSI": .int16(-40), "Name": .string("Sensor 2")])
      radio.connect(peripheral)
      let call = await daemon.called("Connect")
      daemon.change(device, ["Connected": .boolean(true), "ServicesResolved": .boolean(true)])
      call.succeed()
      await daemon.called("ReadValue").succeed(.bytes(Array(" Second ".utf8)))
      #expect(await recorder.next { if case .name = $0 { true } else { false } } == .name("Second"))
      #expect(radio.name(of: peripheral) == "Second")
    }
  }

  @Test func `what is asked for while a disconnect is told comes after it`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      recorder.onDisconnect = { radio.connect(peripheral) }
      daemon.change(device, ["Connected": .boolean(false)])
      #expect(await recorder.linkNews() == .disconnected(peripheral, .peripheralDisconnected))
      _ = await daemon.called("Connect")
    }
  }
}
