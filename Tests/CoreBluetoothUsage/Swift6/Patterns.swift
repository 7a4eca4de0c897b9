// As apps are written, not as this project is.
// swift-format-ignore-file

@preconcurrency import CoreBluetooth
import Testing

// How apps in Swift 6 mode hold CoreBluetooth.

/// A manager on the main actor, delegate and all.
@MainActor
final class MainActorScanner: NSObject, @preconcurrency CBCentralManagerDelegate {
  private(set) var peripherals: [CBPeripheral] = []
  private var central: CBCentralManager!

  override init() {
    super.init()
    central = CBCentralManager(delegate: self, queue: .main)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) { peripherals.append(peripheral) }
}

/// Delegate methods that hop to the main actor.
@MainActor
final class HoppingScanner: NSObject {
  private let central: CBCentralManager
  var state: CBManagerState = .unknown

  override init() {
    central = CBCentralManager(delegate: nil, queue: .main)
    super.init()
    central.delegate = self
  }
}

extension HoppingScanner: CBCentralManagerDelegate {
  nonisolated func centralManagerDidUpdateState(_ central: CBCentralManager) {
    let state = central.state
    MainActor.assumeIsolated { self.state = state }
  }

  nonisolated func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    let box = Box(peripheral)
    Task { @MainActor in box.peripheral.discoverServices(nil) }
  }
}

struct Box: @unchecked Sendable {
  let peripheral: CBPeripheral
  init(_ peripheral: CBPeripheral) { self.peripheral = peripheral }
}

/// An actor around a manager, fed by a delegate through a stream.
actor Radio {
  enum Event: Sendable {
    case state(CBManagerState)
    case found(UUID, String?)
  }

  private final class Delegate: NSObject, CBCentralManagerDelegate, Sendable {
    let continuation: AsyncStream<Event>.Continuation
    init(_ continuation: AsyncStream<Event>.Continuation) { self.continuation = continuation }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { continuation.yield(.state(central.state)) }

    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) { continuation.yield(.found(peripheral.identifier, peripheral.name)) }
  }

  nonisolated let events: AsyncStream<Event>
  private let delegate: Delegate
  private let central: CBCentralManager

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    events = stream
    delegate = Delegate(continuation)
    central = CBCentralManager(delegate: delegate, queue: DispatchQueue(label: "radio"))
  }

  var isScanning: Bool { central.isScanning }

  func scan(for services: [CBUUID]) { central.scanForPeripherals(withServices: services) }
}

// With @retroactive in a package of its own.
extension CBUUID: @unchecked Sendable {
  static let battery = CBUUID(string: "180F")
}

@Suite struct UsageTests {
  @Test("A manager inside an actor tells its first state")
  func actor() async {
    let radio = Radio()
    var iterator = radio.events.makeAsyncIterator()
    guard case .state(let state)? = await iterator.next() else { return }
    #expect(state != .unknown)
    #expect(await radio.isScanning == false)
  }
}
