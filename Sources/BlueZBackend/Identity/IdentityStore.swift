import BridgeIO
import BridgeProtocol
import Glibc

/// The files behind `IdentityTable`: `identity.key`, written once, and `peripherals`, a line per device.
///
/// A file that cannot be read is set aside with a log line; identifiers do not depend on the table for being stable.
struct IdentityStore: Sendable {
  let directory: String

  private var keyPath: String { directory + "/identity.key" }
  private var tablePath: String { directory + "/peripherals" }

  private static let header = "bridge peripherals 1"
  /// What a table may weigh; a larger file is not ours.
  private static let sizeLimit = 4 << 20

  // MARK: Key

  /// The key of this host, made at the first start; nil if the directory does not take it.
  func loadKey() -> SipHash.Key? {
    if let text = readFile(keyPath, limit: 4096) {
      if let key = Self.key(hex: text) { return key }
      setAside(keyPath)
    }
    let key = Self.randomKey()
    let text = Self.hex(key.high) + Self.hex(key.low) + "\n"
    return write(text, to: keyPath) ? key : nil
  }

  private static func key(hex text: String) -> SipHash.Key? {
    let digits = text.hasSuffix("\n") ? text.dropLast() : text[...]
    guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    return SipHash.Key(low: low, high: high)
  }

  private static func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func randomKey() -> SipHash.Key {
    var generator = SystemRandomNumberGenerator()
    return SipHash.Key(low: generator.next(), high: generator.next())
  }

  /// Without a directory: derived from the machine's id, which as such must not leave it (machine-id(5)); else random.
  static func hostKey() -> SipHash.Key {
    guard let id = readFile("/etc/machine-id", limit: 4096), id.utf8.count >= 32 else {
      return randomKey()
    }
    let derivation = SipHash.Key(low: 0x7472_6f6f_7465_756c, high: 0x6272_6964_6765_2031)
    let hash = SipHash.hash(Array(id.utf8), key: derivation)
    return SipHash.Key(low: hash.low, high: hash.high)
  }

  // MARK: Table

  func loadEntries() -> [IdentityTable.Entry] {
    guard let text = readFile(tablePath, limit: Self.sizeLimit) else {
      if access(tablePath, F_OK) == 0 { setAside(tablePath) }
      return []
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first.map(String.init) == Self.header, lines.last == "" else {
      setAside(tablePath)
      return []
    }
    let entries = lines.dropFirst().dropLast().map(Self.entry)
    if entries.contains(where: { $0 == nil }) { setAside(tablePath) }
    return entries.compactMap { $0 }
  }

  /// Writes off the bridge queue, then calls back on it. One write at a time.
  func write(_ entries: [IdentityTable.Entry], completion: @escaping @BridgeQueue @Sendable () -> Void) {
    Task.detached {
      let lines = entries.sorted { $0.lastSeen < $1.lastSeen }.map(Self.line)
      _ = write(([Self.header] + lines).joined(separator: "\n") + "\n", to: tablePath)
      BridgeQueue.async { completion() }
    }
  }

  /// Identifier, kind of address, address, last seen, name: the last may hold anything but control characters.
  static func line(_ entry: IdentityTable.Entry) -> String {
    let kind = entry.address.kind == .lePublic ? "public" : "random"
    let name = String(String.UnicodeScalarView((entry.name ?? "").unicodeScalars.filter { $0.value >= 32 }))
    return "\(entry.identifier.text)\t\(kind)\t\(entry.address.text)\t\(entry.lastSeen)\t\(name)"
  }

  static func entry(_ line: Substring) -> IdentityTable.Entry? {
    let fields = line.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false)
    guard fields.count == 5, let identifier = PeripheralIdentifier(fields[0]),
      let kind = BluetoothAddress.Kind(bluezName: String(fields[1])), let address = BluetoothAddress(fields[2], kind),
      let lastSeen = Int(fields[3])
    else { return nil }
    return IdentityTable.Entry(
      identifier: identifier, address: address, name: fields[4].isEmpty ? nil : String(fields[4]), lastSeen: lastSeen)
  }

  // MARK: Files

  /// False, and a log line, if that failed.
  private func write(_ text: String, to path: String) -> Bool {
    do throws(SystemError) {
      try WholeFile.replace(path, with: text.utf8)
      return true
    } catch {
      Log.error("identities", "\(path) could not be written: \(error)")
      return false
    }
  }

  private func setAside(_ path: String) {
    Log.error("identities", "\(path) is damaged; kept as \(path).damaged")
    rename(path, path + ".damaged")
  }
}

/// The whole of a small text file; nil if there is none, or it is larger than `limit`, or not UTF-8.
private func readFile(_ path: String, limit: Int) -> String? {
  guard let content = try? WholeFile.read(path, limit: limit) else { return nil }
  return String(validating: content, as: UTF8.self)
}
