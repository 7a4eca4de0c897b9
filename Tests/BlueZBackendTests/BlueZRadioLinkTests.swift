import BridgeIO
import BridgeProtocol
import DBus
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

/// Links of the whole radio against a scripted bluetoothd on a private bus.
@Suite @BridgeQueue struct BlueZRadioLinkTests: OnScriptedDaemon {
  @Test func `a connect that fails is repeated until it succeeds`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      radio.connect(peripheral)
      await daemon.called("Connect").fail(ScriptedDaemon.failed)
      await daemon.called("Connect").fail(ScriptedDaemon.inProgress)
      let call = await daemon.called("Connect")
      daemon.change(device, ["Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
      #expect(radio.isConnected(peripheral))
    }
  }

  @Test func `a link that bluetoothd holds without a signal is found by asking`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      radio.connect(peripheral)
      let call = await daemon.called("Connect")
      daemon.set(device, ["Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
      #expect(daemon.counts["Connect"] == 1)
    }
  }

  @Test func `the services of a device that others connect are told when they are known`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      daemon.change(device, ["Connected": .boolean(true)])
      #expect(await recorder.next { $0 == .link(true, peripheral) } == .link(true, peripheral))
      #expect(radio.connectedPeripherals(with: [BluetoothUUID(short: 0x1812)]) == [])
      daemon.change(
        device,
        [
          "UUIDs": .strings(["00001812-0000-1000-8000-00805f9b34fb"]),
          "ServicesResolved": .boolean(true),
        ])
      #expect(await recorder.next { $0 == .services(peripheral) } == .services(peripheral))
      #expect(radio.connectedPeripherals(with: [BluetoothUUID(short: 0x1812)]) == [peripheral])
    }
  }

  @Test func `a success without a link is a failed attempt`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      radio.connect(peripheral)
      await daemon.called("Connect").succeed()
      let call = await daemon.called("Connect")
      daemon.change(device, ["Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
    }
  }

  @Test func `a connect whose object vanishes goes on when it returns`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      radio.scan(nil)
      _ = await daemon.called("StopDiscovery")
      radio.connect(peripheral)
      _ = await daemon.called("Connect")
      daemon.remove(device)
      _ = await daemon.called("StartDiscovery")
      daemon.addDevice(device, advertised)
      let call = await daemon.called("Connect")
      daemon.change(device, ["Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
      _ = await daemon.called("StopDiscovery")
    }
  }

  @Test func `a pending connect is cancelled without an error`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await find(radio, daemon, recorder)
      radio.connect(peripheral)
      let call = await daemon.called("Connect")
      radio.disconnect(peripheral)
      let disconnect = await daemon.called("Disconnect")
      #expect(await recorder.linkNews() == .disconnected(peripheral, nil))
      call.fail(DBusError(name: "org.bluez.Error.Failed", message: "br-connection-canceled"))
      radio.connect(peripheral)
      disconnect.succeed()
      _ = await daemon.called("Connect")
    }
  }

  @Test func `a disconnect is told when the link is down`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      radio.disconnect(peripheral)
      let call = await daemon.called("Disconnect")
      daemon.change(device, ["Connected": .boolean(false)])
      call.succeed()
      #expect(await recorder.linkNews() == .disconnected(peripheral, nil))
    }
  }

  @Test func `a lost link says why if bluetoothd does`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      daemon.signal(
        device, BlueZ.Device.interface, "Disconnected", [.string("org.bluez.Reason.Timeout"), .string("timeout")])
      daemon.change(device, ["Connected": .boolean(false)])
      #expect(await recorder.linkNews() == .disconnected(peripheral, .connectionTimeout))
    }
  }

  @Test func `a power-off ends links without a word`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      daemon.change(device, ["Connected": .boolean(false)])
      daemon.setPowered(false)
      let news = await recorder.next {
        switch $0 {
        case .disconnected, .state: true
        default: false
        }
      }
      #expect(news == .state(.poweredOff))
      #expect(!radio.isConnected(peripheral))
    }
  }

  @Test func `what is pending on a link fails before its end is told`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      var error: BluetoothError?
      radio.discoverServices(of: peripheral) { if case .failure(let reason) = $0 { error = reason } }
      daemon.remove(device)
      #expect(await recorder.linkNews() == .disconnected(peripheral, .peripheralDisconnected))
      #expect(error == .peripheralDisconnected)
    }
  }

  @Test func `what is pending on a link fails before the radio's new state is told`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      var failure: BluetoothError?
      var stateHeard = false
      recorder.onState = { stateHeard = true }
      radio.discoverServices(of: peripheral) {
        if case .failure(let error) = $0, !stateHeard { failure = error }
      }
      daemon.setPowered(false)
      await recorder.state(.poweredOff)
      #expect(failure == .peripheralDisconnected)
    }
  }

  @Test func `services are discovered once they are resolved and in the cache`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      daemon.add(
        device + "/service0010",
        [
          BlueZ.GATT.service: ["UUID": .string("0000180d-0000-1000-8000-00805f9b34fb"), "Primary": .boolean(true)]
        ])
      daemon.change(device, ["ServicesResolved": .boolean(true)])
      let database = await withCheckedContinuation { done in
        radio.discoverServices(of: peripheral) { done.resume(returning: try? $0.get()) }
      }
      #expect(database?.services.map(\.uuid) == [BluetoothUUID(short: 0x180D)])
    }
  }

  @Test func `a link of others is shared and left connected`() async throws {
    let foreign = properties.merging(["Connected": .boolean(true)]) { $1 }
    try await run(devices: [(device, foreign)]) { radio, daemon, recorder, _ in
      let peripheral = radio.identities.identifier(of: BluetoothAddress("00:00:00:00:00:01", .lePublic)!)
      #expect(radio.isConnected(peripheral))
      radio.connect(peripheral)
      await daemon.called("Connect").succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
      radio.disconnect(peripheral)
      #expect(await recorder.linkNews() == .disconnected(peripheral, nil))
      #expect(daemon.counts["Disconnect"] == nil)
    }
  }

  @Test func `connects run side by side`() async throws {
    let other = "/org/bluez/hci0/dev_00_00_00_00_00_02"
    let second = properties.merging(["Address": .string("00:00:00:00:00:02")]) { $1 }
    try await run(devices: [(device, properties), (other, second)]) { radio, daemon, recorder, _ in
      let silent = radio.identities.identifier(of: BluetoothAddress("00:00:00:00:00:01", .lePublic)!)
      let present = radio.identities.identifier(of: BluetoothAddress("00:00:00:00:00:02", .lePublic)!)
      radio.connect(silent)
      _ = await daemon.called("Connect")
      radio.connect(present)
      let call = await daemon.called("Connect")
      #expect(call.path == other)
      daemon.change(other, ["Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(present))
    }
  }

  @Test func `a peripheral that nobody knows fails to connect`() async throws {
    try await run { radio, _, recorder, _ in
      let stranger = PeripheralIdentifier(high: 1, low: 2)
      #expect(!radio.knows(stranger))
      radio.connect(stranger)
      #expect(await recorder.linkNews() == .failed(stranger, .unknownDevice))
    }
  }

  @Test func `a resolved private address keeps its identifier and its link`() async throws {
    try await run { radio, daemon, recorder, _ in
      let peripheral = await link(radio, daemon, recorder)
      daemon.change(device, ["Address": .string("00:00:00:00:00:99"), "AddressType": .string("public")])
      daemon.change(device, ["Connected": .boolean(false)])
      #expect(await recorder.linkNews() == .disconnected(peripheral, .peripheralDisconnected))
      #expect(radio.address(of: peripheral) == "00:00:00:00:00:99")
      #expect(radio.identities.identifier(of: BluetoothAddress("00:00:00:00:00:99", .lePublic)!) == peripheral)
    }
  }

  @Test func `links that a restarted bluetoothd claims are believed only if they last`() async throws {
    try await run(timing: .quick(\.restartSettle, .seconds(30))) { radio, daemon, recorder, bus in
      let peripheral = await find(radio, daemon, recorder)
      daemon.stop()
      await recorder.state(.resetting)
      let claimed = properties.merging(["Connected": .boolean(true)]) { $1 }
      let second = try await ScriptedDaemon.start(on: bus, devices: [(device, claimed)])
      await recorder.state(.poweredOn)
      #expect(!radio.isConnected(peripheral))
      radio.connect(peripheral)
      second.change(device, ["Connected": .boolean(false)])
      let call = await second.called("Connect")
      second.change(device, ["Connected": .boolean(true)])
      call.succeed()
      #expect(await recorder.linkNews() == .connected(peripheral))
      second.automatic.insert("Disconnect")
      await withCheckedContinuation { done in radio.stop { done.resume() } }
      second.stop()
    }
  }

  @Test func `stopping disconnects what we connected`() async throws {
    try await PrivateBus.run { bus in
      let daemon = try await ScriptedDaemon.start(on: bus)
      let (radio, recorder) = makeRadio(bus)
      await recorder.state(.poweredOn)
      _ = await link(radio, daemon, recorder)
      await withCheckedContinuation { done in
        radio.stop { done.resume() }
        daemon.automatic.insert("Disconnect")
      }
      #expect(daemon.counts["Disconnect"] == 1)
      #expect(daemon.counts["StopDiscovery"] != nil)
      daemon.stop()
    }
  }
}
