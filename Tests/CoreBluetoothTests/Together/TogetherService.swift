import BridgeIO
import BridgeServer
import CoreBluetooth
import EmulationTestSupport
import MockBackend
import TestSupport

/// A service of virtual devices where apps with managers of both roles meet, over its socket.
@BridgeQueue
final class TogetherService {
  nonisolated let path: String
  private let folder = TemporaryFolder()
  private let world: VirtualHostedWorld
  private let radio = VirtualRadio()
  private let server: Server

  init(
    _ options: VirtualHostedWorld.Options = .init(), policy: ServerConfiguration.Policy = .shared
  ) throws {
    path = folder.file("s")
    world = VirtualHostedWorld(options: options)
    server = Server(
      configuration: ServerConfiguration(socketPath: path, policy: policy, serverVersion: "1"), radios: [radio],
      hostedWorld: world)
    try server.start()
  }

  func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }

  /// - Parameter device: nil for the process.
  nonisolated func endpoint(_ device: String?) -> ServiceEndpoint { .socket(at: path).on { device } }

  nonisolated func central(on device: String? = "phone", options: [String: Any]? = nil) -> CentralApp {
    CentralApp(options: options) { [self] in
      CBCentralManager(delegate: $0, queue: $1, options: $2, endpoint: endpoint(device), timing: HostFixture.timing)
    }
  }

  nonisolated func peripheral(on device: String? = "sensor", options: [String: Any]? = nil) -> PeripheralApp {
    PeripheralApp(options: options) { [self] in
      CBPeripheralManager(
        delegate: $0, queue: $1, options: $2, endpoint: endpoint(device), timing: HostFixture.timing)
    }
  }

  /// A peripheral on the air, and a central that is on.
  nonisolated func pair(with more: [CBMutableCharacteristic] = []) async throws -> (CentralApp, PeripheralApp) {
    let peripheral = peripheral()
    try await peripheral.open(named: "Sensor", with: more)
    let central = central()
    try await central.state(.poweredOn)
    return (central, peripheral)
  }

  /// A central that is connected with the peripheral, and the characteristics that it found.
  nonisolated func explored(_ central: CentralApp) async throws -> (CBPeripheral, [CBCharacteristic]) {
    let found = try await central.find(named: "Sensor")
    try await central.connect(found)
    let services = try await central.services(of: found, [PeripheralApp.serviceUUID])
    guard let service = services.first else { throw NothingHappened() }
    return (found, try await central.characteristics(of: service))
  }
}
