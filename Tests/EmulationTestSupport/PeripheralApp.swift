public import CoreBluetooth

/// The peripheral side of an app: publishes one service with a value that it keeps itself, and keeps what it is told.
///
/// `@unchecked Sendable` is sound: what changes is behind the lock, and `manager` is set before it is shared.
public final class PeripheralApp: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  public enum Event {
    case state(CBManagerState)
    case willRestore([String: Any])
    case advertising((any Error)?)
    case added(CBService, (any Error)?)
    case subscribed(CBCentral, CBCharacteristic)
    case unsubscribed(CBCentral, CBCharacteristic)
    case read(CBATTRequest)
    case written([Data?])
    case ready
    case published(CBL2CAPPSM, (any Error)?)
    case channel(CBL2CAPChannel?, (any Error)?)
  }

  public static var serviceUUID: CBUUID { CBUUID(string: "1234") }
  public let inbox = Inbox<Event>()
  public private(set) var manager: CBPeripheralManager!
  public let characteristic = CBMutableCharacteristic(
    type: CBUUID(string: "5678"), properties: [.read, .write, .writeWithoutResponse, .notify], value: nil,
    permissions: [.readable, .writeable])
  public let secret = CBMutableCharacteristic(
    type: CBUUID(string: "9ABC"), properties: .read, value: nil, permissions: .readEncryptionRequired)
  private let lock = NSLock()
  private var current = Data("Hello".utf8)
  private var answers = true

  public init(
    queue: DispatchQueue? = DispatchQueue(label: "peripheral"), options: [String: Any]? = nil,
    make: (PeripheralApp, DispatchQueue?, [String: Any]?) -> CBPeripheralManager = {
      CBPeripheralManager(delegate: $0, queue: $1, options: $2)
    }
  ) {
    super.init()
    manager = make(self, queue, options)
  }

  /// Requests are not answered any more.
  public func fallSilent() { lock.withLock { answers = false } }

  public var value: Data {
    get { lock.withLock { current } }
    set { lock.withLock { current = newValue } }
  }

  public func state(_ wanted: CBManagerState) async throws {
    try await inbox.first("state \(wanted.rawValue)") { if case .state(wanted) = $0 { () } else { nil } }
  }

  public func advertise(_ data: [String: Any]?) async throws {
    manager.startAdvertising(data)
    try await inbox.first("start of advertising") {
      if case .advertising(let error) = $0 { Answer(error) } else { nil }
    }
    .check()
  }

  /// Publishes the service and advertises it.
  public func open(named name: String, with more: [CBMutableCharacteristic] = []) async throws {
    if manager.state != .poweredOn { try await state(.poweredOn) }
    let service = CBMutableService(type: Self.serviceUUID, primary: true)
    service.characteristics = [characteristic, secret] + more
    try await add(service)
    try await advertise([
      CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [Self.serviceUUID],
    ])
  }

  public func add(_ service: CBMutableService) async throws {
    manager.add(service)
    try await inbox.first("end of adding") { if case .added(_, let error) = $0 { Answer(error) } else { nil } }.check()
  }

  /// A channel is published.
  public func publishChannel(withEncryption isEncrypted: Bool = false) async throws -> CBL2CAPPSM {
    manager.publishL2CAPChannel(withEncryption: isEncrypted)
    return try await inbox.first("PSM") { if case .published(let psm, nil) = $0 { psm } else { nil } }
  }

  /// The next channel that a central opens.
  public func channel() async throws -> CBL2CAPChannel {
    try await inbox.first("channel") { if case .channel(let channel?, nil) = $0 { channel } else { nil } }
  }

  public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { inbox.add(.state(peripheral.state)) }

  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    inbox.add(.willRestore(dict))
  }

  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    inbox.add(.advertising(error))
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    inbox.add(.added(service, error))
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { inbox.add(.subscribed(central, characteristic)) }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) { inbox.add(.unsubscribed(central, characteristic)) }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    let value = value
    inbox.add(.read(request))
    guard lock.withLock({ answers }) else { return }
    guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = value.dropFirst(request.offset)
    peripheral.respond(to: request, withResult: .success)
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    for request in requests { value = request.value ?? Data() }
    inbox.add(.written(requests.map(\.value)))
    guard lock.withLock({ answers }) else { return }
    peripheral.respond(to: requests[0], withResult: .success)
  }

  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { inbox.add(.ready) }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel psm: CBL2CAPPSM, error: (any Error)?
  ) { inbox.add(.published(psm, error)) }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) { inbox.add(.channel(channel, error)) }
}
