/// How to write UUIDs to one client: upper case and as short as can be, but as its scan spelled those that it named.
///
/// ImpossiBLE's client compares its filters with reports as text, so a filter in the long form finds only devices
/// that are reported in the long form.
public struct UUIDSpelling: Hashable, Sendable {
  /// Those whose spelling is not the usual one; nearly always none.
  private var unusual: [BluetoothUUID: String] = [:]

  /// The usual spelling for all.
  public init() {}

  public init(_ uuids: some Sequence<SpelledUUID>) {
    for spelled in uuids { add(spelled) }
  }

  public mutating func add(_ spelled: SpelledUUID) {
    if spelled.text != spelled.uuid.text { unusual[spelled.uuid] = spelled.text }
  }

  /// The same, with the 128-bit form for these unless they are spelled otherwise.
  func adding(_ long: Set<BluetoothUUID>) -> UUIDSpelling {
    var spelling = self
    for uuid in long where spelling.unusual[uuid] == nil { spelling.unusual[uuid] = uuid.fullText }
    return spelling
  }

  /// Those that are spelled in 128 bits though they have a shorter form.
  func longUUIDs(of uuids: [BluetoothUUID]) -> Set<BluetoothUUID> {
    unusual.isEmpty ? [] : Set(uuids.filter { unusual[$0]?.utf8.count == 36 })
  }

  public func text(of uuid: BluetoothUUID) -> String { unusual[uuid] ?? uuid.text }

  /// The unusual spelling, if there is one.
  func exception(for uuid: BluetoothUUID) -> String? { unusual.isEmpty ? nil : unusual[uuid] }
}
