/// Which adapter to use: what the configuration asks for.
public enum AdapterSelector: Hashable, Sendable {
  /// The first powered adapter with LE, else the first with LE.
  case automatic
  /// `hci0`.
  case name(String)
  /// `AA:BB:CC:DD:EE:FF`, upper case.
  case address(String)

  /// Reads `hciN` or an address; nil for anything else.
  public init?(_ text: String) {
    if text.hasPrefix("hci"), UInt16(text.dropFirst(3)) != nil {
      self = .name(text)
    } else if let address = BluetoothAddress(text, .lePublic) {
      self = .address(address.text)
    } else {
      return nil
    }
  }
}

/// Chooses an adapter among those present and stays with it, by its address: a replugged adapter may come back under
/// another number.
struct AdapterSelection {
  let selector: AdapterSelector
  /// The address of the adapter in use, kept while it is away.
  private(set) var chosenAddress: String?
  /// Whether the adapter in use has been on since it was chosen: one that never was gives way to one that is.
  private var hasBeenOn = false

  init(_ selector: AdapterSelector) { self.selector = selector }

  /// The adapter to use now, if it is there.
  mutating func choose(from adapters: [Adapter1]) -> Adapter1? {
    let choice = choice(from: adapters)
    guard let choice else { return nil }
    if choice.address != chosenAddress {
      chosenAddress = choice.address
      hasBeenOn = false
    }
    if choice.isPowered { hasBeenOn = true }
    return choice
  }

  /// The adapter in use has been away for long: another may take its place.
  mutating func forgetChoice() {
    chosenAddress = nil
    hasBeenOn = false
  }

  private func choice(from adapters: [Adapter1]) -> Adapter1? {
    switch selector {
    case .name(let name): adapters.first { $0.name == name }
    case .address(let address): adapters.first { $0.address == address }
    case .automatic: automaticChoice(from: adapters)
    }
  }

  private func automaticChoice(from adapters: [Adapter1]) -> Adapter1? {
    let usable = adapters.filter(\.isLowEnergy).sorted { ($0.index ?? .max, $0.path) < ($1.index ?? .max, $1.path) }
    let powered = usable.first(where: \.isPowered)
    guard let chosenAddress else { return powered ?? usable.first }
    guard let present = usable.first(where: { $0.address == chosenAddress }) else { return nil }
    return present.isPowered || hasBeenOn ? present : powered ?? present
  }
}
