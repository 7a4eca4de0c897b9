import BridgeIO
import BridgeProtocol
public import CCoreBluetooth
public import Foundation

/// A remote device in the peripheral role, as one central manager sees it.
open class CBPeripheral: CBPeer {
  struct State {
    weak var delegate: (any CBPeripheralDelegate)?
    var name: String?
    var state = CBPeripheralState.disconnected
    var isANCSAuthorized = false
    /// The connection that the app wants, made or not.
    var link: PeripheralLink?
    /// Connections cancelled, whose end the app has not been told.
    var cancelled: [PeripheralLink] = []
    var services: [CBService]?
    /// All that was discovered in this connection, by the service's names.
    var attributes: [String: CBAttribute] = [:]
  }

  let wireIdentifier: PeripheralIdentifier
  let peripheral: Guarded<State>
  private let managerReference: WeakReference<CBCentralManager>

  init(_ identifier: PeripheralIdentifier, manager: CBCentralManager) {
    wireIdentifier = identifier
    peripheral = Guarded(State())
    managerReference = WeakReference(manager)
    super.init(identifier: identifier.uuid)
  }

  deinit {
    guard let manager else { return }
    manager.peripherals.remove(wireIdentifier)
    guard let link = peripheral[\.link] else { return }
    Misuse.log(
      "Cancelling connection for unused peripheral \(self), Did you forget to keep a reference to it?")
    let session = manager.session
    BridgeQueue.async { session.cancel(link) }
  }

  var manager: CBCentralManager? { managerReference.object }

  // MARK: What is known

  weak open var delegate: (any CBPeripheralDelegate)? {
    get { peripheral[\.delegate] }
    set { peripheral[\.delegate] = newValue }
  }

  /// That of the device, once it is known, else the one that it advertises.
  open var name: String? { peripheral[\.name] }

  /// Always nil; see `readRSSI()`.
  @available(*, deprecated, message: "Use readRSSI()")
  open var rssi: NSNumber? { nil }

  open var state: CBPeripheralState { peripheral[\.state] }

  /// nil until discovered in this connection.
  open var services: [CBService]? { peripheral[\.services] }

  open var ancsAuthorized: Bool { peripheral[\.isANCSAuthorized] }

  open override var description: String {
    Description(
      self,
      [
        "identifier = \(identifier.uuidString)", "name = \(name ?? "(null)")",
        "mtu = \(maximumWriteValueLength(for: .withoutResponse) + 3)", "state = \(state.word)",
      ]
    ).text
  }

  // MARK: Requests

  /// dBm, to the delegate.
  open func readRSSI() {
    let id = wireIdentifier
    request { .readRSSI(ReadRSSI(id: id)) }
  }

  // MARK: Discovering

  /// nil for all primary services.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    guard delegate != nil else {
      return Misuse.log(
        "Discovering services for peripheral \(self) while delegate is either nil or does not implement "
          + "peripheral:didDiscoverServices:")
    }
    let id = wireIdentifier
    request { .discoverServices(DiscoverServices(id: id, services: serviceUUIDs.wireValues)) }
  }

  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    request(service) {
      .discoverIncludedServices(
        DiscoverIncludedServices(id: $0, serviceId: $1, services: includedServiceUUIDs.wireValues))
    }
  }

  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    request(service) {
      .discoverCharacteristics(
        DiscoverCharacteristics(id: $0, serviceId: $1, characteristics: characteristicUUIDs.wireValues))
    }
  }

  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    request(characteristic) { .discoverDescriptors(DiscoverDescriptors(id: $0, characteristicId: $1)) }
  }

  // MARK: Reading and subscribing

  open func readValue(for characteristic: CBCharacteristic) {
    request(characteristic) { .read(ReadCharacteristic(id: $0, characteristicId: $1)) }
  }

  open func readValue(for descriptor: CBDescriptor) {
    request(descriptor) { .readDescriptor(ReadDescriptor(id: $0, descriptorId: $1)) }
  }

  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    request(characteristic) { .setNotify(SetNotify(id: $0, characteristicId: $1, enabled: enabled)) }
  }

  // MARK: Writing

  open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
    if type != .withResponse { return writeWithoutResponse(data, for: characteristic) }
    request(characteristic) {
      .write(WriteCharacteristic(id: $0, characteristicId: $1, value: [UInt8](data), writeType: .withResponse))
    }
  }

  private func writeWithoutResponse(_ data: Data, for characteristic: CBCharacteristic) {
    guard let (link, session) = linkForCommand(), let wireID = knownID(characteristic) else { return }
    guard characteristic.properties.contains(.writeWithoutResponse) else {
      return Misuse.warn(
        "Characteristic \(characteristic) does not specify the \"Write Without Response\" property - ignoring "
          + "response-less write")
    }
    guard data.count <= ProtocolLimits.maximumValueLength else {
      return Misuse.warn("\(data.count) bytes are no value: ignoring response-less write to \(characteristic)")
    }
    link.writes.begin()
    let request = WriteCharacteristic(
      id: wireIdentifier, characteristicId: wireID, value: [UInt8](data), writeType: .withoutResponse)
    BridgeQueue.async { session.writeWithoutResponse(request, over: link) }
  }

  /// Fails for 2902, which only `setNotifyValue` writes.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    if descriptor.uuid == Self.configurationUUID { return refuseConfiguration(of: descriptor) }
    request(descriptor) { .writeDescriptor(WriteDescriptor(id: $0, descriptorId: $1, value: [UInt8](data))) }
  }

  private static var configurationUUID: CBUUID { CBUUID(string: CBUUIDClientCharacteristicConfigurationString) }

  /// Apple's raises an exception. Here the app lives on, and nothing is sent.
  private func refuseConfiguration(of descriptor: CBDescriptor) {
    guard let (link, _) = linkForCommand(), knownID(descriptor) != nil else { return }
    let error = BluetoothError.uuidNotAllowed.saying(
      "Client Characteristic Configuration descriptors must be configured using setNotifyValue:forCharacteristic:")
    Misuse.log(error.text)
    manager?.callbacks.add { [descriptor = Held(descriptor)] in
      guard let peripheral = link.peripheral.object, peripheral.isConnected(by: link) else { return }
      peripheral.delegate?.peripheral(peripheral, didWriteValueFor: descriptor.object, error: error.appError)
    }
  }

  // MARK: Writing without response

  /// Whether a write without response would go at once. Once false, the delegate is told when it is true again.
  open var canSendWriteWithoutResponse: Bool { connectedLink?.writes.hasRoom ?? false }

  /// Bytes that a single write can carry.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    if type == .withResponse { return ProtocolLimits.maximumValueLength }
    return connectedLink?.writes.maximumLength ?? WriteWindow.shortestLength
  }

  // MARK: L2CAP

  /// Opens a channel, given to the delegate.
  open func openL2CAPChannel(_ psm: CBL2CAPPSM) {
    let id = wireIdentifier
    request { .openL2CAP(OpenL2CAP(id: id, psm: psm)) }
  }

  // MARK: Sending

  /// The connection, as far as the app has been told.
  var connectedLink: PeripheralLink? { peripheral.withLock { $0.state == .connected ? $0.link : nil } }

  /// The connection for a command; nil when none can go, which is said on the console.
  func linkForCommand() -> (PeripheralLink, CentralSession)? {
    guard let manager, manager.acceptsCommands() else { return nil }
    guard let link = connectedLink else {
      Misuse.log("\(self) can only accept commands while in the connected state")
      return nil
    }
    return (link, manager.session)
  }

  func request(_ message: () -> ClientMessage) {
    guard let (link, session) = linkForCommand() else { return }
    let message = message()
    BridgeQueue.async { session.request(message, over: link) }
  }

  /// The same for one that names an attribute, which must be of this connection.
  func request(_ attribute: CBAttribute, _ message: (PeripheralIdentifier, _ wireID: String) -> ClientMessage) {
    guard let wireID = knownID(attribute) else { return }
    request { message(wireIdentifier, wireID) }
  }

  /// The service's name of an attribute; nil, and said on the console, if it is of another peripheral or connection.
  func knownID(_ attribute: CBAttribute) -> String? {
    if let wireID = attribute.wireID, peripheral.withLock({ $0.attributes[wireID] === attribute }) { return wireID }
    Misuse.log("\(attribute) is not an attribute of the present connection of \(self)")
    return nil
  }
}

extension [CBUUID]? {
  /// Empty for all.
  fileprivate var wireValues: [BluetoothUUID] { (self ?? []).map(\.value) }
}

extension CBPeripheralState {
  fileprivate var word: String {
    switch self {
    case .disconnected: "disconnected"
    case .connecting: "connecting"
    case .connected: "connected"
    case .disconnecting: "disconnecting"
    @unknown default: "unknown"
    }
  }
}
