/// What is typed, on the central's side, when a virtual device shows its passkey.
public enum PasskeyEntry: Hashable, Sendable {
  /// Nothing: pairing fails at once.
  case refused
  /// What the device shows.
  case correct
  /// What `enterPasskey` says while the device waits.
  case asked
  /// These six.
  case digits(String)

  /// As in a file or on the command line.
  public init?(text: String) {
    switch text {
    case "refused": self = .refused
    case "correct": self = .correct
    case "asked": self = .asked
    default:
      guard MockDevice.isPasskey(text) else { return nil }
      self = .digits(text)
    }
  }

  public var text: String {
    switch self {
    case .refused: "refused"
    case .correct: "correct"
    case .asked: "asked"
    case .digits(let digits): digits
    }
  }
}

extension FieldCodec where Value == PasskeyEntry {
  static let passkeyEntry = FieldCodec(
    read: { item, context in
      guard let text = FieldCodec<String>.string.read(item, context) else { return nil }
      guard let entry = PasskeyEntry(text: text) else {
        context.report("none of six digits, correct, asked, refused", at: item)
        return nil
      }
      return entry
    },
    write: { $1.json.string($0.text) })
}
