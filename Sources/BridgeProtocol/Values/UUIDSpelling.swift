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

  public func text(of uuid: BluetoothUUID) -> String { unusual[uuid] ?? uuid.text }

  /// The unusual spelling, if there is one.
  func exception(for uuid: BluetoothUUID) -> String? { unusual.isEmpty ? nil : unusual[uuid] }
}
