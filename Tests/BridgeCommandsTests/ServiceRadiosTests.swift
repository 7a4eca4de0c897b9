import BlueZBackend
import BridgeIO
import BridgeProtocol
import BridgeServer
import MockBackend
import TestSupport
import Testing

@testable import BridgeCommands

/// The service as `bridge serve` makes it, with virtual devices, asked by the command line.
@Suite @BridgeQueue struct ServiceRadiosTests {
  private let folder = TemporaryFolder()
  private var state: String { folder.file("state") }
  private var socket: String { folder.file("s") }

  private struct Running {
    let server: Server
    let radios: ServiceRadios

    @BridgeQueue func stop() async {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        server.stop { radios.finish { continuation.resume() } }
      }
    }
  }

  private func start(_ configure: (inout ServeSettings) -> Void = { _ in }) throws -> Running {
    var settings = ServeSettings()
    settings.socket = socket
    settings.stateDirectory = state
    // No bus: this machine's adapter, if there is one, is left alone.
    settings.bluez.busAddress = "unix:path=\(folder.file("no-bus"))"
    configure(&settings)
    let saved = SavedChoice(in: state)
    let radios = ServiceRadios(
      bluez: settings.blueZConfiguration(), mock: settings.mock, stateDirectory: state, saved: saved)
    let server = Server(
      configuration: settings.serverConfiguration(), choice: try settings.choice(saved), factory: radios)
    try server.start()
    return Running(server: server, radios: radios)
  }

  /// A command on a thread of its own, as it blocks.
  private func run(_ arguments: String...) async -> BridgeCommands.ExitStatus {
    let arguments = arguments + ["--socket", socket, "--state-dir", state]
    return await withCheckedContinuation { continuation in
      Thread.start(named: "command") { continuation.resume(returning: Bridge.run(arguments)) }
    }
  }

  private func client() async throws -> LineClient {
    let client = try LineClient(path: socket)
    client.hello(features: [])
    _ = try await client.next("welcome")
    return client
  }

  /// The first value of that UUID of a device, by a whole walk.
  private func read(_ uuid: UInt32, of id: PeripheralIdentifier, _ client: LineClient) async throws -> DidUpdateValue? {
    client.send(.connect(Connect(id: id)))
    guard case .didConnect? = try await client.next() else { return nil }
    client.send(.discoverServices(DiscoverServices(id: id)))
    guard case .didDiscoverServices(let found)? = try await client.next() else { return nil }
    for service in found.services {
      client.send(.discoverCharacteristics(DiscoverCharacteristics(id: id, serviceId: service.id)))
      guard case .didDiscoverCharacteristics(let found)? = try await client.next() else { return nil }
      guard let characteristic = found.characteristics.first(where: { $0.uuid == BluetoothUUID(short: uuid) }) else {
        continue
      }
      client.send(.read(ReadCharacteristic(id: id, characteristicId: characteristic.id)))
      guard case .didUpdateValue(let update)? = try await client.next() else { return nil }
      return update
    }
    return nil
  }

  @Test func virtualDevicesAreServedAndChosenByCommand() async throws {
    try ConfigurationLibrary(stateDirectory: state).add(MockConfiguration(name: "Lamps", devices: [.lamp]))
    var service = try start { $0.mode = .mock }
    let polar = MockConfiguration.stock[0].devices[0].id
    let first = try await client()
    #expect(try await read(0x2A19, of: polar, first)?.value == [0x5A])

    #expect(await run("mock", "use", "lamps") == .success)
    // The device is gone with its configuration.
    guard case .didDisconnect? = try await first.next() else {
      Issue.record("still connected")
      return
    }
    #expect(try await read(0x2A19, of: MockDevice.lamp.id, first)?.value == [42])
    #expect(await run("mock", "use", "moon") == .failure)
    #expect(await run("mock", "list") == .success)
    #expect(await run("status") == .usage)  // It takes no --state-dir.

    #expect(await run("mode", "off") == .success)
    #expect(await first.closes())
    #expect(throws: SocketError.self) { try LineClient(path: socket) }
    #expect(await run("mode", "mock", "--json") == .success)
    await service.stop()

    // The next run begins with what was chosen.
    #expect(SavedChoice(in: state) == SavedChoice(mode: .mock, mockConfiguration: "Lamps"))
    service = try start()
    #expect(try await read(0x2A19, of: MockDevice.lamp.id, try await client())?.value == [42])
    await service.stop()
  }

  @Test func withoutAnAdapterAutoServesVirtualDevices() async throws {
    let service = try start()
    // Absence is waited out first.
    #expect(await eventually { service.server.state == .poweredOn })
    let tool = try LineClient(path: socket)
    tool.hello(features: .control)
    guard case .welcome(let welcome)? = try await tool.next() else { return }
    #expect(welcome.mode == "mock")
    tool.send(.status(Status()))
    guard case .didReportStatus(let status)? = try await tool.next() else { return }
    #expect(status.notice?.contains("cannot be reached") == true, "\(status)")
    await service.stop()
  }

  @Test func aPasskeyIsTypedAsTheCommandLineSays() async throws {
    var lock = MockDevice.lamp
    lock.pairingMode = .passkey
    lock.passkey = "123456"
    lock.services[0].characteristics[0].securityLevel = .encryption
    try ConfigurationLibrary(stateDirectory: state).add(MockConfiguration(name: "Lock", devices: [lock]))
    for (entry, isOpen) in [("refused", false), ("654321", false), ("123456", true), ("correct", true)] {
      let service = try start {
        $0.mode = .mock
        $0.mockConfiguration = "Lock"
        $0.mock.passkeyEntry = PasskeyEntry(text: entry)!
      }
      let answer = try await read(0x2A19, of: lock.id, try await client())
      #expect((answer?.error == nil) == isOpen, "\(entry)")
      await service.stop()
    }
  }

  @Test func aConnectionToAVirtualDeviceOutlivesUploadsThatKeepIt() async throws {
    try ConfigurationLibrary(stateDirectory: state).add(MockConfiguration(name: "Lamps", devices: [.lamp]))
    let service = try start {
      $0.mode = .mock
      $0.mockConfiguration = "Lamps"
    }
    let client = try await client()
    let id = MockDevice.lamp.id
    let value = try #require(try await read(0x2A19, of: id, client)).characteristicId
    for number in [UInt8(7), 8] {
      var lamp = MockDevice.lamp
      lamp.services[0].characteristics[0].value = [number]
      let text = try JSONText(MockConfiguration(name: "Own", devices: [lamp]).json())
      client.send(.setMockConfiguration(SetMockConfiguration(configuration: text)))
      client.send(.read(ReadCharacteristic(id: id, characteristicId: value)))
      #expect(try await client.next() == .didSetMockConfiguration(DidSetMockConfiguration()))
      guard case .didUpdateValue(let update)? = try await client.next() else { return }
      #expect(update.value == [number])
    }
    client.send(.clearMockConfiguration(ClearMockConfiguration()))
    client.send(.read(ReadCharacteristic(id: id, characteristicId: value)))
    guard case .didUpdateValue(let update)? = try await client.next() else { return }
    #expect(update.value == [42])
    await service.stop()
  }
}
