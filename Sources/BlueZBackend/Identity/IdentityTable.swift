import BridgeIO
import BridgeProtocol
import Glibc

/// Which identifier stands for which address, both ways, over restarts.
///
/// An identifier is a keyed hash of the address, so the same on this host for ever and meaningless elsewhere. The table
/// remembers what a hash cannot: the way back, names, and private addresses that turned out to be a known device.
@BridgeQueue
final class IdentityTable {
  struct Entry: Equatable {
    var identifier: PeripheralIdentifier
    var address: BluetoothAddress
    var name: String?
    /// Seconds since 1970.
    var lastSeen: Int
  }

  private let key: SipHash.Key
  private let store: IdentityStore?
  private var entries: [PeripheralIdentifier: Entry] = [:]
  /// Where the table says something else than the hash.
  private var aliases: [BluetoothAddress: PeripheralIdentifier] = [:]
  private var saving: QueueTimer?
  private var isWriting = false
  private var isDirty = false

  /// Beyond this many, those not seen for longest are forgotten, private addresses first.
  private let capacity: Int
  private static let saveDelay = Duration.seconds(2)

  /// - Parameter directory: where the key and the table are kept; nil keeps them in memory only.
  init(directory: String?, capacity: Int = 4096) {
    self.capacity = capacity
    store = directory.map { IdentityStore(directory: $0) }
    key = store?.loadKey() ?? IdentityStore.hostKey()
    for entry in store?.loadEntries() ?? [] { add(entry) }
  }

  // MARK: Looking up

  /// The identifier of an address, whether met before or not.
  func identifier(of address: BluetoothAddress) -> PeripheralIdentifier {
    aliases[address] ?? hashed(address)
  }

  func entry(of identifier: PeripheralIdentifier) -> Entry? { entries[identifier] }

  var count: Int { entries.count }

  private func hashed(_ address: BluetoothAddress) -> PeripheralIdentifier {
    let hash = SipHash.hash([address.kind.rawValue] + address.kernelBytes, key: key)
    // A random UUID's version and variant, RFC 9562, so that nobody reads a time or a MAC address from it.
    let high = hash.high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = hash.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return PeripheralIdentifier(high: high, low: low)
  }

  // MARK: Remembering

  /// An application heard of the device.
  func remember(_ identifier: PeripheralIdentifier, _ address: BluetoothAddress, name: String?) {
    let known = entries[identifier]
    let entry = Entry(
      identifier: identifier, address: address, name: name ?? known?.name, lastSeen: Int(time(nil)))
    add(entry)
    // Being seen again is worth a write only now and then.
    let isNews =
      known?.address != address || known?.name != entry.name || entry.lastSeen - (known?.lastSeen ?? 0) > 3600
    if isNews { save() }
    if entries.count > capacity { prune() }
  }

  /// A private address has turned out to be that of a device with an identity address: what was handed out for the
  /// first stays valid, and from now on means the second.
  func resolve(_ identifier: PeripheralIdentifier, to identity: BluetoothAddress) {
    if aliases[identity] == nil && entries[hashed(identity)] == nil { aliases[identity] = identifier }
    remember(identifier, identity, name: nil)
  }

  private func add(_ entry: Entry) {
    entries[entry.identifier] = entry
    if hashed(entry.address) != entry.identifier && entries[hashed(entry.address)] == nil {
      aliases[entry.address] = entry.identifier
    }
  }

  private func prune() {
    let order = entries.values.sorted {
      ($0.address.isPrivate ? 0 : 1, $0.lastSeen) < ($1.address.isPrivate ? 0 : 1, $1.lastSeen)
    }
    for entry in order.prefix(entries.count - capacity * 7 / 8) {
      entries[entry.identifier] = nil
      if aliases[entry.address] == entry.identifier { aliases[entry.address] = nil }
    }
  }

  // MARK: Saving

  private func save() {
    guard store != nil else { return }
    isDirty = true
    guard saving == nil, !isWriting else { return }
    saving = QueueTimer(after: Self.saveDelay) { [weak self] in self?.saveNow {} }
  }

  /// Writes what is unwritten; `completion` follows when that is done.
  func saveNow(completion: @escaping @BridgeQueue () -> Void) {
    saving?.cancel()
    saving = nil
    guard let store, isDirty, !isWriting else { return completion() }
    isDirty = false
    isWriting = true
    let snapshot = Array(entries.values)
    // A disk may stall; the bridge queue must not.
    store.write(snapshot) { [weak self] in
      guard let self else { return completion() }
      isWriting = false
      if isDirty { save() }
      completion()
    }
  }
}

extension BluetoothAddress {
  /// A resolvable or non-resolvable private address: another one before long.
  ///
  /// - Source: Core Specification Vol 6, Part B, 1.3.2.
  var isPrivate: Bool { kind == .leRandom && octet(5) & 0xC0 != 0xC0 }
}
