import BridgeIO
import BridgeProtocol
import DBus
import Radio

/// GATT on one live link: made when the link stands, ended with it.
@BridgeQueue
final class GATTClient {
  init(
    bus: Connection, busAddress: String, devicePath: String, cache: ObjectCache, owner: any GATTClientOwner
  ) { fatalError() }

  /// `ServicesResolved` became true, and a round trip to bluetoothd has confirmed that its objects are in the cache.
  func servicesResolved() { fatalError() }
  /// The link is gone: fails what is pending with `error`, closes the notify connection. No calls afterwards.
  func end(_ error: BluetoothError) { fatalError() }
  /// Objects below the device appeared or vanished while linked (already applied to the cache).
  func objectsChanged(added: [String], removed: [String]) { fatalError() }
  /// PropertiesChanged on an object below the device: `Value` of a characteristic, and the rest.
  func characteristicValueChanged(path: String, value: [UInt8]) { fatalError() }
  func propertiesChanged(path: String, interface: String, changed: [String: Value]) { fatalError() }

  func discoverServices(completion: @escaping RadioCompletion<GATTDatabase>) { fatalError() }
  func read(_ attribute: AttributeHandle, completion: @escaping RadioCompletion<[UInt8]>) { fatalError() }
  func write(_ value: [UInt8], to attribute: AttributeHandle, completion: @escaping RadioCompletion<Void>) {
    fatalError()
  }
  func writeWithoutResponse(
    _ value: [UInt8], to characteristic: AttributeHandle, completion: @escaping RadioCompletion<Void>
  ) { fatalError() }
  var canSendWriteWithoutResponse: Bool { fatalError() }
  var maximumWriteLength: Int { fatalError() }
  func setNotify(_ enabled: Bool, characteristic: AttributeHandle, completion: @escaping RadioCompletion<Void>) {
    fatalError()
  }
}
