import BridgeIO
import BridgeProtocol
public import CoreBluetooth

/// A simulated peripheral: what it is made of, and what shall go wrong with it.
///
/// The app finds it as a `CBPeripheral` with its identifier, as it finds real ones.
///
/// `@unchecked Sendable` is sound: what changes is behind a lock.
open class FaketoothPeripheral: NSObject, @unchecked Sendable {
  struct State {
    var state = CBPeripheralState.disconnected
    var connectionError: (any Error)?
    var disconnectionError: (any Error)?
    var discoverServicesError: (any Error)?
    var discoverCharacteristicsError: (any Error)?
    var discoverDescriptorsError: (any Error)?
  }

  public let identifier: UUID
  public let name: String?
  public let services: [FaketoothService]?
  public let advertisementData: [String: Any]
  let advertisement: AdvertisementData
  let simulation = Guarded(State())

  /// - Parameter advertisementData: by Apple's keys; nil for the name and the UUIDs of all services.
  public init(
    identifier: UUID, name: String?, services: [FaketoothService]?, advertisementData: [String: Any]? = nil
  ) {
    self.identifier = identifier
    self.name = name
    self.services = services
    self.advertisementData = advertisementData ?? Self.standardAdvertisement(name, services)
    advertisement = AdvertisementData(appDictionary: self.advertisementData)
    super.init()
    for service in services ?? [] { service.state[\.peripheral] = self }
  }

  private static func standardAdvertisement(_ name: String?, _ services: [FaketoothService]?) -> [String: Any] {
    var dictionary: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: (services ?? []).map(\.uuid)]
    dictionary[CBAdvertisementDataLocalNameKey] = name
    return dictionary
  }

  /// Whether anybody is connected to it.
  open var state: CBPeripheralState { simulation[\.state] }

  // MARK: Errors

  /// What connecting fails with; nil for success.
  open var connectionError: (any Error)? {
    get { simulation[\.connectionError] }
    set { simulation[\.connectionError] = newValue }
  }

  /// What the end of a connection that the app cancels is told with. The connection ends all the same.
  open var disconnectionError: (any Error)? {
    get { simulation[\.disconnectionError] }
    set { simulation[\.disconnectionError] = newValue }
  }

  /// What discovering services fails with; nil for success.
  open var discoverServicesError: (any Error)? {
    get { simulation[\.discoverServicesError] }
    set { simulation[\.discoverServicesError] = newValue }
  }

  /// What discovering characteristics fails with; nil for success.
  open var discoverCharacteristicsError: (any Error)? {
    get { simulation[\.discoverCharacteristicsError] }
    set { simulation[\.discoverCharacteristicsError] = newValue }
  }

  /// What discovering descriptors fails with; nil for success.
  open var discoverDescriptorsError: (any Error)? {
    get { simulation[\.discoverDescriptorsError] }
    set { simulation[\.discoverDescriptorsError] = newValue }
  }

  // MARK: Notifications

  /// Sends the characteristic's value, as its producer makes it now, to those who have subscribed.
  open func notifyDidUpdateValue(for characteristic: FaketoothCharacteristic) {
    BridgeQueue.async { FaketoothWorld.shared.notify(characteristic, of: self) }
  }
}
