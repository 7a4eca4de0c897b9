import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

@testable import BridgeCommands

/// A service on one radio, with sockets of its own, for commands that ask it from a thread of theirs.
@BridgeQueue
final class CaptureFixture {
  let folder = TemporaryFolder()
  private let server: Server
  private let path: String

  init(_ radio: any Radio) throws {
    path = folder.file("s")
    server = Server(configuration: ServerConfiguration(socketPath: path, serverVersion: "1"), radio: radio)
    try server.start()
  }

  func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }

  func client() throws -> LineClient { try LineClient(path: path) }

  /// Runs `bridge capture` on another thread, with what `configure` sets, and reads what it wrote.
  func capture(
    _ configure: (inout CaptureSettings) -> Void = { _ in }
  ) async throws -> (status: BridgeCommands.ExitStatus, configuration: MockConfiguration?) {
    var settings = CaptureSettings()
    settings.socket = path
    settings.takesAll = true
    settings.duration = .milliseconds(1500)
    settings.output = folder.file("captured.json")
    settings.configurationName = "Captured"
    configure(&settings)
    let chosen = settings
    let status = await withCheckedContinuation {
      (continuation: CheckedContinuation<BridgeCommands.ExitStatus, Never>) in
      Thread.start(named: "capture") { continuation.resume(returning: CaptureCommand.run(chosen)) }
    }
    guard let text = folder.read("captured.json") else { return (status, nil) }
    var problems: [ConfigurationProblem] = []
    let file = MockConfigurationFile(Array(text.utf8), name: "x", problems: &problems)
    #expect(problems.isEmpty, "\(problems)")
    return (status, file.configurations.first)
  }
}

/// Everything that a client can learn of the devices of a service, in the words of the wire.
@BridgeQueue
enum ClientWalk {
  static func all(of fixture: CaptureFixture, devices: Int) async throws -> [String] {
    let client = try fixture.client()
    client.hello(features: [.errors, .mtu])
    _ = try await client.next("welcome")
    client.send(.scan(Scan(services: [])))
    var found: [PeripheralIdentifier: DidDiscover] = [:]
    while found.count < devices, case .didDiscover(let report)? = try await client.next("didDiscover") {
      found[report.id] = report
    }
    client.send(.stopScan(StopScan()))
    var said: [String] = []
    for report in found.values.sorted(by: { $0.id.text < $1.id.text }) {
      said.append("\(report)")
      said += try await device(report.id, client)
    }
    client.close()
    return said
  }

  private static func device(_ id: PeripheralIdentifier, _ client: LineClient) async throws -> [String] {
    var said: [String] = []
    func ask(_ request: ClientMessage, _ answer: String) async throws -> ServerMessage? {
      client.send(request)
      while let message = try await client.next() {
        if message.type == "didDiscover" { continue }
        said.append("\(message)")
        if message.type == answer || message.type == "didFailConnect" { return message }
      }
      return nil
    }
    guard case .didConnect? = try await ask(.connect(Connect(id: id)), "didConnect") else { return said }
    guard
      case .didDiscoverServices(let services)? = try await ask(
        .discoverServices(DiscoverServices(id: id)), "didDiscoverServices")
    else { return said }
    for service in services.services {
      _ = try await ask(
        .discoverIncludedServices(DiscoverIncludedServices(id: id, serviceId: service.id, services: [])),
        "didDiscoverIncludedServices")
      guard
        case .didDiscoverCharacteristics(let reply)? = try await ask(
          .discoverCharacteristics(DiscoverCharacteristics(id: id, serviceId: service.id, characteristics: [])),
          "didDiscoverCharacteristics")
      else { continue }
      for characteristic in reply.characteristics {
        _ = try await ask(
          .read(ReadCharacteristic(id: id, characteristicId: characteristic.id)), "didUpdateValue")
        guard
          case .didDiscoverDescriptors(let reply)? = try await ask(
            .discoverDescriptors(DiscoverDescriptors(id: id, characteristicId: characteristic.id)),
            "didDiscoverDescriptors")
        else { continue }
        for descriptor in reply.descriptors {
          _ = try await ask(
            .readDescriptor(ReadDescriptor(id: id, descriptorId: descriptor.id)), "didUpdateDescriptorValue")
        }
      }
    }
    client.send(.cancel(Cancel(id: id)))
    _ = try await client.next("didDisconnect")
    return said
  }
}
