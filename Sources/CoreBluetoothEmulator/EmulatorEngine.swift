import BridgeIO
import BridgeProtocol
import BridgeServer
import CoreBluetooth
import MockBackend
import RadioFaults

/// A service in the process, with a world of the peripherals that its managers host.
@BridgeQueue
final class EmulatorEngine {
  /// An attribute that fails.
  struct AttributeError: Hashable, Sendable {
    var peripheral: PeripheralIdentifier
    var characteristic: BluetoothUUID
    var error: BluetoothError
  }

  private var server: Server?
  private var world: VirtualHostedWorld?
  /// Nothing is on it; its state is part of what managers are told.
  private var radio: VirtualRadio?
  private var configuration = EmulatorConfiguration()
  private var errors: [AttributeError] = []

  nonisolated init() {}

  /// A manager connects.
  func accept(_ descriptor: consuming FileDescriptor) { (server ?? start()).serve(descriptor) }

  private func start() -> Server {
    let (radio, world) = makeAir()
    let server = Server(configuration: serverConfiguration(), radios: [radio], hostedWorld: world)
    take(server, radio, world)
    server.startInProcess()
    return server
  }

  /// Serves at a path too, for managers in other processes.
  func serve(at path: String) throws(ServerError) {
    let (radio, world) = makeAir()
    let server = Server(configuration: serverConfiguration(path), radios: [radio], hostedWorld: world)
    try server.start()
    stop()
    take(server, radio, world)
  }

  private func makeAir() -> (VirtualRadio, VirtualHostedWorld) {
    var options = VirtualRadioOptions()
    options.initialState = configuration.adapterState
    let world = VirtualHostedWorld(options: configuration.hostedWorld, state: configuration.adapterState)
    return (VirtualRadio(options: options), world)
  }

  private func serverConfiguration(_ path: String? = nil) -> ServerConfiguration {
    var limits = ServerLimits()
    if !configuration.stateRestorationEnabled { limits.restoration = .zero }
    var result = ServerConfiguration(serverVersion: "CoreBluetoothEmulator", limits: limits)
    if let path { result.socketPath = path }
    return result
  }

  private func take(_ server: Server, _ radio: VirtualRadio, _ world: VirtualHostedWorld) {
    self.server = server
    self.radio = radio
    self.world = world
    apply()
  }

  /// Everything is gone; managers that are there lose their service.
  func stop() {
    guard let server else { return }
    self.server = nil
    world = nil
    radio = nil
    // It and its radios are needed until it has stopped.
    server.stop { withExtendedLifetime(server) {} }
  }

  // MARK: Configuring

  func configure(_ new: EmulatorConfiguration) {
    configuration = new
    // What a running service cannot change: nobody minds if nobody is there.
    if server?.clientCount == 0 { stop() }
    apply()
  }

  func set(_ errors: [AttributeError]) {
    self.errors = errors
    apply()
  }

  private func apply() {
    guard let server, let radio, let world else { return }
    world.options = configuration.hostedWorld
    radio.setState(configuration.adapterState)
    world.state = configuration.adapterState
    server.switches = configuration.switches
    server.faults.clear()
    for rule in configuration.faultRules { server.faults.add(rule) }
    for error in errors {
      for operation in [FaultOperation.read, .write, .writeWithoutResponse, .setNotify] {
        var rule = FaultRule(operation)
        rule.id = error.peripheral
        rule.characteristic = error.characteristic
        rule.error = error.error
        server.faults.add(rule)
      }
    }
  }

  func ending() -> EmulatedEnding { EmulatedEnding(delay: .seconds(max(configuration.disconnectionDelay, 0))) }
}
