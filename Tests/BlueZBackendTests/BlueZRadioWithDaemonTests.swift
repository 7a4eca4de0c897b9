import BridgeIO
import BridgeProtocol
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

/// The radio against a bluetoothd that behaves as the real one does: what an application lives through.
@Suite @BridgeQueue struct BlueZRadioWithDaemonTests {
  @BridgeQueue
  private struct World {
    let daemon: FakeBlueZ
    let radio: BlueZRadio
    let recorder = RadioRecorder()
    let device: FakeDevice

    init(_ bus: PrivateBus) async throws {
      daemon = try await FakeBlueZ.start(on: bus)
      device = daemon.adapter.addDevice(
        "C0:00:00:00:00:01", FakeAdvertisement(name: "Sensor", uuids: ["180D"]),
        services: [
          FakeServiceDescription("180D", [FakeCharacteristicDescription("2A37", ["read", "notify"], value: [1, 2])])
        ])
      device.isAdvertising = true
      var configuration = BlueZConfiguration()
      configuration.busAddress = bus.address
      configuration.timing.restartSettle = .milliseconds(50)
      configuration.timing.powerSettle = .milliseconds(100)
      configuration.timing.connectRetryFirst = .milliseconds(10)
      radio = BlueZRadio(configuration)
      radio.observer = recorder
      radio.start()
      await recorder.state(.poweredOn)
    }

    func find() async -> PeripheralIdentifier {
      radio.scan(RadioScan(allowDuplicates: false))
      return await recorder.advertisement().peripheral
    }

    func connect() async -> PeripheralIdentifier {
      let peripheral = await find()
      radio.connect(peripheral)
      #expect(await recorder.linkNews() == .connected(peripheral))
      return peripheral
    }

    func read(_ peripheral: PeripheralIdentifier) async throws -> [UInt8] {
      let database = try await value { radio.discoverServices(of: peripheral, completion: $0) }
      let handle = try #require(database.services.first?.characteristics.first?.handle)
      return try await value { radio.read(handle, of: peripheral, completion: $0) }
    }

    private func value<Value: Sendable>(_ ask: (@escaping RadioCompletion<Value>) -> Void) async throws -> Value {
      try await withCheckedContinuation { done in ask { done.resume(returning: $0) } }.get()
    }
  }

  private func run(_ body: @BridgeQueue (World) async throws -> Void) async throws {
    try await PrivateBus.run { bus in
      let world = try await World(bus)
      try await body(world)
      await withCheckedContinuation { done in world.radio.stop { done.resume() } }
      world.daemon.die()
    }
  }

  @Test func `a dropped link can be made again`() async throws {
    try await run { world in
      let peripheral = await world.connect()
      world.device.dropLink(reason: "Timeout")
      #expect(await world.recorder.linkNews() == .disconnected(peripheral, .connectionTimeout))
      world.radio.connect(peripheral)
      #expect(await world.recorder.linkNews() == .connected(peripheral))
      let value = try await world.read(peripheral)
      #expect(value == [1, 2])
    }
  }

  @Test func `a device that is away is connected when it returns`() async throws {
    try await run { world in
      let peripheral = await world.find()
      world.device.isReachable = false
      world.radio.connect(peripheral)
      await world.daemon.call("Connect")
      world.device.failConnect()
      await world.daemon.call("Connect", occurrence: 2)
      world.device.isReachable = true
      #expect(await world.recorder.linkNews() == .connected(peripheral))
    }
  }

  @Test func `a device that bluetoothd has forgotten under a connect is connected when it is heard again`() async throws
  {
    try await run { world in
      let peripheral = await world.find()
      world.device.isReachable = false
      world.radio.connect(peripheral)
      await world.daemon.call("Connect")
      world.device.removeObject()
      world.device.isReachable = true
      #expect(await world.recorder.linkNews() == .connected(peripheral))
    }
  }

  @Test func `a connect that waits is cancelled`() async throws {
    try await run { world in
      let peripheral = await world.find()
      world.device.isReachable = false
      world.radio.connect(peripheral)
      await world.daemon.call("Connect")
      world.radio.disconnect(peripheral)
      #expect(await world.recorder.linkNews() == .disconnected(peripheral, nil))
      world.device.isReachable = true
      world.radio.connect(peripheral)
      #expect(await world.recorder.linkNews() == .connected(peripheral))
    }
  }

  @Test func `a power cycle ends links silently and resumes the scan`() async throws {
    try await run { world in
      let peripheral = await world.connect()
      world.daemon.adapter.setPowered(false)
      let news = await world.recorder.next {
        switch $0 {
        case .disconnected, .state: true
        default: false
        }
      }
      #expect(news == .state(.poweredOff))
      world.daemon.adapter.setPowered(true)
      await world.recorder.state(.poweredOn)
      _ = await world.recorder.next { $0 == .advertisement(peripheral) }
      world.radio.connect(peripheral)
      #expect(await world.recorder.linkNews() == .connected(peripheral))
    }
  }

  @Test(arguments: [true, false])
  func `a restart of bluetoothd is survived`(isKilled: Bool) async throws {
    try await run { world in
      let peripheral = await world.connect()
      if isKilled { world.daemon.die() } else { world.daemon.stop() }
      await world.recorder.state(.resetting)
      #expect(!world.radio.isConnected(peripheral))
      try await world.daemon.comeBack()
      await world.recorder.state(.poweredOn)
      world.radio.connect(peripheral)
      #expect(await world.recorder.linkNews() == .connected(peripheral))
      let value = try await world.read(peripheral)
      #expect(value == [1, 2])
    }
  }

  @Test func `a link made by another program is told, shared and left standing`() async throws {
    try await run { world in
      let peripheral = await world.find()
      world.device.connectByOther()
      _ = await world.recorder.next { $0 == .link(true, peripheral) }
      world.radio.connect(peripheral)
      #expect(await world.recorder.linkNews() == .connected(peripheral))
      world.radio.disconnect(peripheral)
      #expect(await world.recorder.linkNews() == .disconnected(peripheral, nil))
      #expect(world.device.isConnected)
      #expect(world.daemon.calls("Disconnect").isEmpty)
    }
  }
}
