import BridgeIO
import BridgeProtocol
import Radio

/// The world of peripherals that clients host: which device of it each client is on, and what is kept for those who come
/// back. It is served while virtual devices are.
@BridgeQueue
final class Hosting {
  let world: any HostedWorld
  private unowned let server: Server
  private var devices: [String: HostingDevice] = [:]
  private var kept: [String: KeptPeripheral] = [:]
  private(set) var isServed = false
  private static let keptLimit = 64

  init(_ world: any HostedWorld, server: Server) {
    self.world = world
    self.server = server
    world.state = .unsupported
  }

  // MARK: State

  /// What hosting clients are told.
  var state: AdapterState { world.state }

  /// Takes over what the service serves now.
  func update() {
    let wasServed = isServed
    isServed = server.worlds.contains { $0.isVirtual }
    let state = isServed ? server.state : .unsupported
    if world.state != state {
      world.state = state
      if state != .poweredOn { for device in devices.values { device.world.radioLost() } }
      for session in server.sessions { session.hosting?.tellState() }
    }
    if isServed != wasServed { moveScans() }
  }

  /// What clients look for they look for here too, or no longer.
  private func moveScans() {
    for session in server.sessions where session.scan != nil {
      guard let scans = session.hostingDevice?.world.scans else { continue }
      if isServed { scans.start(session) } else { scans.stop(session) }
    }
  }

  // MARK: Devices

  /// Finds the device of a client that has introduced itself, or not.
  func attach(_ session: Session) -> HostingDevice? {
    guard !session.isObserver else { return nil }
    let pids = "\(session.peer.pid) \(session.activityClient.pid ?? 0)"
    let key = session.hello?.device.map { "device \($0)" } ?? "process \(pids)"
    let device = devices[key] ?? makeDevice(key, session)
    device.sessions += 1
    return device
  }

  func detach(_ device: HostingDevice) {
    device.sessions -= 1
    guard device.sessions == 0 else { return }
    devices[device.key] = nil
    server.activity.forget(device.world.radio)
    world.removeRadio(for: device.host)
  }

  private func makeDevice(_ key: String, _ session: Session) -> HostingDevice {
    let host = HostDevice(
      identity: vacantIdentity(session.appName, session.hello?.device),
      name: session.hello?.device ?? session.processName)
    return add(key, host)
  }

  private func add(_ key: String, _ host: HostDevice) -> HostingDevice {
    let world = World(world.makeRadio(for: host), server: server)
    let device = HostingDevice(key: key, host: host, world: world, hosting: self)
    devices[key] = device
    world.start()
    return device
  }

  /// The app's name and the device's; with a number where several processes of one app run.
  private func vacantIdentity(_ app: String, _ device: String?) -> String {
    if let device { return "device \(device)" }
    let taken = Set(devices.values.map(\.host.identity))
    var number = 0
    while taken.contains("\(app) \(number)") { number += 1 }
    return "\(app) \(number)"
  }

  /// The device that a client was on whose peripheral was kept, made anew if nobody is on it; nil if nothing was kept.
  func deviceOfKept(_ key: String) -> HostingDevice? {
    guard let kept = kept[key], !isExpired(kept) else { return nil }
    if let device = devices[kept.deviceKey] { return device }
    return add(kept.deviceKey, kept.host)
  }

  // MARK: Coming back

  /// Keeps what a client had published, for one that comes with the same restore identifier.
  func keep(_ peripheral: KeptPeripheral, as key: String) {
    if kept.count >= Self.keptLimit, kept[key] == nil {
      kept[kept.min { $0.value.since < $1.value.since }!.key] = nil
    }
    kept[key] = peripheral
  }

  /// What was kept, once, and not for too long.
  func takeKept(_ key: String) -> KeptPeripheral? {
    guard let peripheral = kept.removeValue(forKey: key) else { return nil }
    return isExpired(peripheral) ? nil : peripheral
  }

  private func isExpired(_ peripheral: KeptPeripheral) -> Bool {
    .now - peripheral.since > server.configuration.limits.restoration
  }

  // MARK: Flow

  /// Whether a central of the peripheral's does not read.
  func isCongested(_ peripheral: PeripheralIdentifier) -> Bool {
    server.sessions.contains { $0.channel.isCongested && $0.connections[peripheral] != nil }
  }

  func centralDrained() { for session in server.sessions { session.hosting?.centralDrained() } }
}

/// A device of the hosted world, which one or more clients are on.
@BridgeQueue
final class HostingDevice {
  let key: String
  let host: HostDevice
  /// What is heard and connected to from there.
  let world: World
  var sessions = 0
  private unowned let hosting: Hosting

  init(key: String, host: HostDevice, world: World, hosting: Hosting) {
    self.key = key
    self.host = host
    self.world = world
    self.hosting = hosting
  }

  var isServed: Bool { hosting.isServed }
}

/// What a client had published when it went.
struct KeptPeripheral {
  var services: [HostedService]
  var advertisement: AdvertisementData?
  /// Where it was, and is again: centrals know it by that.
  var deviceKey: String
  var host: HostDevice
  var since = ContinuousClock.now
}
