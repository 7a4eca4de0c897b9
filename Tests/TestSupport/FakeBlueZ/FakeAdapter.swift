public import BridgeIO
public import DBus

/// A controller and its Adapter1: discovery sessions, power, the devices around it.
@BridgeQueue
public final class FakeAdapter {
  /// `hci0`; may change when it is plugged again.
  public private(set) var name: String
  public let address: String
  public private(set) var isPresent = false
  public private(set) var isPowered = false
  /// Peripherals around, whether bluetoothd knows them or not.
  public private(set) var devices: [FakeDevice] = []
  /// Bus names with a discovery session.
  public internal(set) var discoverySessions: Set<String> = []
  /// What each bus name has set, also without a session.
  public internal(set) var discoveryFilters: [String: [String: Value]] = [:]
  public internal(set) var applications: [FakeApplication] = []
  public internal(set) var advertisements: [FakeLEAdvertisement] = []

  unowned let fake: FakeBlueZ
  private(set) var object: FakeObject?

  init(name: String, address: String, fake: FakeBlueZ) {
    self.name = name
    self.address = address
    self.fake = fake
  }

  public var path: String { "/org/bluez/" + name }
  public var isDiscovering: Bool { !discoverySessions.isEmpty }
  var tree: FakeObjectTree { fake.tree }

  // MARK: Plugging

  /// Puts the adapter in, perhaps under another name. Stored devices are there at once.
  public func plug(as name: String? = nil, powered: Bool = true) {
    guard !isPresent else { return }
    self.name = name ?? self.name
    isPresent = true
    daemonStarted(powered: powered)
  }

  /// Takes the adapter out: all its objects vanish, calls on them are never answered.
  public func unplug() {
    guard isPresent else { return }
    isPresent = false
    for device in devices { device.adapterVanished() }
    tree.remove(path)
    daemonEnded()
    tree.flush()
  }

  func daemonStarted(powered: Bool) {
    isPowered = powered
    publish()
    for device in devices where device.isStored { device.publish() }
  }

  func daemonEnded() {
    object = nil
    isPowered = false
    discoverySessions = []
    discoveryFilters = [:]
    applications = []
    advertisements = []
    for device in devices { device.daemonEnded() }
  }

  func dropLinksOfThePast() {
    BridgeQueue.async { [devices] in for device in devices { device.dropLinkOfThePast() } }
  }

  private func publish() {
    let object = tree.add(
      path,
      [
        FakeNames.adapter: [
          "Address": .string(address), "AddressType": .string("public"), "Name": .string("fake"),
          "Alias": .string("fake"), "Class": .uint32(0), "Powered": .boolean(isPowered),
          "PowerState": .string(isPowered ? "on" : "off"), "Discoverable": .boolean(false),
          "DiscoverableTimeout": .uint32(180), "Pairable": .boolean(false), "PairableTimeout": .uint32(0),
          "Discovering": .boolean(false), "UUIDs": .strings([]), "Modalias": .string("usb:v1D6Bp0246d0542"),
          "Roles": .strings(["central", "peripheral"]),
        ],
        FakeNames.gattManager: [:],
        FakeNames.advertisingManager: [
          "ActiveInstances": .byte(0), "SupportedInstances": .byte(5),
          "SupportedIncludes": .strings(["tx-power", "appearance", "local-name"]),
        ],
      ])
    self.object = object
    serveDiscovery(object)
    servePeripheralRole(object)
    object.on(FakeNames.adapter, "RemoveDevice") { [unowned self] in removeDevice($0) }
    object.setters[FakeNames.adapter] = { [unowned self] in set($0, $1, $2) }
  }

  func update(_ property: String, _ value: Value) {
    if let object { tree.update(object, FakeNames.adapter, property, value) }
  }

  // MARK: Power

  public func setPowered(_ powered: Bool) { powered ? powerUp() : powerDown() }

  private func powerUp() {
    guard !isPowered, isPresent else { return }
    isPowered = true
    update("Powered", .boolean(true))
    update("PowerState", .string("on"))
    tree.flush()
  }

  /// In bluetoothd's order: temporary devices, links, then the adapter's own properties.
  func powerDown() {
    guard isPowered else { return }
    isPowered = false
    update("PowerState", .string("off-disabling"))
    tree.flush()
    discoverySessions = []
    discoveryFilters = [:]
    for device in devices where device.isTemporary { device.removeObject() }
    for device in devices { device.adapterPoweredDown() }
    tree.flush()
    update("Powered", .boolean(false))
    update("Discovering", .boolean(false))
    update("PowerState", .string("off"))
    tree.flush()
  }

  private func set(_ property: String, _ value: Value, _ call: FakeCall) {
    switch (property, value) {
    case ("Powered", .boolean(let powered)): setPowered(powered)
    case ("Alias", .string), ("Discoverable", .boolean), ("DiscoverableTimeout", .uint32), ("Pairable", .boolean),
      ("PairableTimeout", .uint32):
      update(property, value)
    case ("Powered", _), ("Alias", _), ("Discoverable", _), ("Pairable", _):
      return call.fail(.bluezInvalidArguments)
    default: return call.fail(FakeProperties.readOnly(property))
    }
    call.reply()
  }

  // MARK: Devices

  /// A peripheral around the adapter; bluetoothd learns of it when it advertises during discovery, or knows it
  /// already if it is `stored` from an earlier life.
  @discardableResult
  public func addDevice(
    _ address: String, type: String = "random", _ advertisement: FakeAdvertisement = FakeAdvertisement(),
    stored: Bool = false, services: [FakeServiceDescription] = []
  ) -> FakeDevice {
    let device = FakeDevice(
      address: address, type: type, advertisement: advertisement, services: services, adapter: self)
    devices.append(device)
    if stored { device.store() }
    return device
  }

  private func removeDevice(_ call: FakeCall) {
    let path = call.arguments.first?.string
    guard let device = devices.first(where: { $0.isKnown && $0.path == path }) else {
      return call.fail(.bluezDoesNotExist)
    }
    device.removeObject()
    call.reply()
  }

  func clientLeft(_ name: String) {
    discoveryFilters[name] = nil
    if discoverySessions.remove(name) != nil && !isDiscovering { discoveryStopped() }
    applications.removeAll { $0.owner == name }
    advertisements.removeAll { $0.owner == name }
    updateAdvertisingInstances()
    for device in devices { device.clientLeft(name) }
  }
}
