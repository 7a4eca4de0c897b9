public import BridgeIO
import DBus

/// A peripheral in the air and, once bluetoothd knows it, its Device1.
@BridgeQueue
public final class FakeDevice {
  public let address: String
  /// `public` or `random`.
  public let type: String
  /// What it sends when it advertises.
  public var advertisement: FakeAdvertisement
  /// Advertises by itself once whenever a discovery starts.
  public var isAdvertising = false
  /// Whether its advertisements say so; others are forgotten when discovery stops.
  public var isConnectable = true
  /// Whether a Connect finds it; one that does not waits. Setting it lets a waiting one succeed.
  public var isReachable = true { didSet { if isReachable { link.becameReachable() } } }
  /// How it pairs when it must.
  public var pairing = FakePairing.justWorks
  /// Agreed at connecting.
  public var mtu: UInt16 = 517
  public internal(set) var isTemporary = true
  public internal(set) var isPaired = false

  unowned let adapter: FakeAdapter
  let link: FakeLink
  let attributes: FakeAttributeTable
  private(set) var object: FakeObject?
  private var temporaryTimer: QueueTimer?

  init(
    address: String, type: String, advertisement: FakeAdvertisement, services: [FakeServiceDescription],
    adapter: FakeAdapter
  ) {
    self.address = address
    self.type = type
    self.advertisement = advertisement
    self.adapter = adapter
    link = FakeLink()
    attributes = FakeAttributeTable(services)
    link.device = self
    attributes.device = self
  }

  var fake: FakeBlueZ { adapter.fake }
  var tree: FakeObjectTree { adapter.fake.tree }

  public var path: String {
    adapter.path + "/dev_" + String(address.map { $0 == ":" ? "_" : $0 })
  }
  /// Whether bluetoothd has an object for it.
  public var isKnown: Bool { object != nil }
  public var isConnected: Bool { link.isConnected }
  public var isStored: Bool { !isTemporary }
  /// Resolvable or not, a private address is never stored.
  var isPrivate: Bool {
    guard type == "random", let first = UInt8(address.prefix(2), radix: 16) else { return false }
    return first & 0xC0 != 0xC0
  }

  // MARK: Object

  func publish() {
    guard object == nil else { return }
    let object = tree.add(path, [FakeNames.device: initialProperties])
    self.object = object
    link.serve(object)
    object.setters[FakeNames.device] = { [unowned self] property, value, call in
      switch (property, value) {
      case ("Trusted", .boolean), ("Blocked", .boolean), ("Alias", .string):
        update(property, value)
        call.reply()
      default: call.fail(FakeProperties.readOnly(property))
      }
    }
    if attributes.areKnown { attributes.publish() }
  }

  private var initialProperties: [String: Value] {
    var properties: [String: Value] = [
      "Address": .string(address), "AddressType": .string(type), "Alias": .string(alias),
      "Paired": .boolean(isPaired), "Bonded": .boolean(isPaired), "Trusted": .boolean(false),
      "Blocked": .boolean(false), "LegacyPairing": .boolean(false), "Connected": .boolean(link.isConnected),
      "UUIDs": .strings([]), "Adapter": .objectPath(ObjectPath(adapter.path)), "ServicesResolved": .boolean(false),
    ]
    if isStored {
      properties["Name"] = advertisement.name.map { .string($0) }
      properties["UUIDs"] = .strings(attributes.areKnown ? attributes.uuids : [])
    }
    return properties
  }

  private var alias: String { advertisement.name ?? String(address.map { $0 == ":" ? "-" : $0 }) }

  func update(_ property: String, _ value: Value?) {
    if let object { tree.update(object, FakeNames.device, property, value) }
  }

  func set(_ property: String, _ value: Value?) {
    if let object { tree.set(object, FakeNames.device, property, value) }
  }

  func property(_ name: String) -> Value? { object?.property(FakeNames.device, name) }

  /// As if it had been connected or paired in an earlier life: it has an object, without RSSI.
  public func store() {
    isTemporary = false
    if adapter.isPresent { publish() }
    tree.flush()
  }

  /// bluetoothd forgets it, by RemoveDevice or by time: what was pending on it is never answered, and pairing is lost.
  public func removeObject() {
    link.vanish()
    isTemporary = true
    isPaired = false
    attributes.forget()
    unpublish()
    tree.flush()
  }

  private func unpublish() {
    temporaryTimer?.cancel()
    attributes.unpublish()
    if object != nil { tree.remove(path) }
    object = nil
  }

  func makePermanent() {
    temporaryTimer?.cancel()
    if !isPrivate { isTemporary = false }
  }

  /// Counts again towards the end of a temporary device.
  func wasSeen() {
    temporaryTimer?.cancel()
    guard isTemporary, !isConnected, let limit = fake.timing.temporary else { return }
    temporaryTimer = QueueTimer(after: limit) { [weak self] in self?.removeObject() }
  }

  // MARK: Adapter and daemon

  func adapterPoweredDown() { link.poweredDown() }

  func adapterVanished() {
    link.vanish()
    unpublish()
    if isTemporary { attributes.forget() }
  }

  /// The kernel's link lives on.
  func daemonEnded() {
    link.loseCalls()
    temporaryTimer?.cancel()
    object = nil
    attributes.daemonEnded()
    if isTemporary { attributes.forget() }
  }

  func dropLinkOfThePast() { if isConnected { link.drop() } }

  func clientLeft(_ name: String) { attributes.clientLeft(name) }

  func discoveryStopped() {
    set("RSSI", nil)
    set("TxPower", nil)
    if isTemporary && isKnown && !isConnectable && !isConnected { removeObject() }
  }
}
