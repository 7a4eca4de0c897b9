/// One value of a parsed text: what it is and which bytes hold it.
struct JSONToken {
  enum Kind: UInt8 {
    case null, `true`, `false`
    /// A number without fraction or exponent.
    case integer
    case number
    /// A string without escapes: its bytes are its text.
    case plainString
    case escapedString
    case array, object
  }

  var kind: Kind
  /// First byte and the one after the last; of a string without its quotes.
  var start: UInt32
  var end: UInt32
  /// The token after this value and all that it contains.
  var next: UInt32
}
