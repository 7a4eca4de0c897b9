/// Type codes of the D-Bus Specification; libdbus' own are macros with casts, which Swift does not import.
enum TypeCode {
  static let end: UInt8 = 0
  static let byte = UInt8(ascii: "y")
  static let boolean = UInt8(ascii: "b")
  static let int16 = UInt8(ascii: "n")
  static let uint16 = UInt8(ascii: "q")
  static let int32 = UInt8(ascii: "i")
  static let uint32 = UInt8(ascii: "u")
  static let int64 = UInt8(ascii: "x")
  static let uint64 = UInt8(ascii: "t")
  static let double = UInt8(ascii: "d")
  static let string = UInt8(ascii: "s")
  static let objectPath = UInt8(ascii: "o")
  static let signature = UInt8(ascii: "g")
  static let unixDescriptor = UInt8(ascii: "h")
  static let variant = UInt8(ascii: "v")
  static let array = UInt8(ascii: "a")
  /// libdbus' codes for containers, which on the wire are brackets.
  static let structure = UInt8(ascii: "r")
  static let entry = UInt8(ascii: "e")
}

/// The text of a `StaticString` for C; it ends with NUL.
func cString(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
