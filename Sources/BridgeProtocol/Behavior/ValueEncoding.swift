/// How a number or a text becomes the bytes of a value.
public struct ValueEncoding: Hashable, Sendable {
  public enum Format: String, Hashable, Sendable, CaseIterable {
    case uint8, int8, uint16, int16, uint24, int24, uint32, int32, uint64, int64
    case float32, float64
    /// As text: a number in decimal, or the text as it is.
    case text
    /// Bytes written as text; not for numbers.
    case hex, base64
  }

  public var format = Format.uint8
  /// Numbers are multiplied with it first.
  public var scale = 1.0
  public var isBigEndian = false
  /// Bytes around the value.
  public var prefix: [UInt8] = []
  public var suffix: [UInt8] = []

  public init() {}

  public init(_ format: Format, scale: Double = 1, prefix: [UInt8] = []) {
    self.format = format
    self.scale = scale
    self.prefix = prefix
  }

  /// The value for a number; what does not fit into the format becomes the nearest that does.
  public func value(of number: Double) -> [UInt8] {
    let scaled = number * scale
    switch format {
    case .float32: return framed(Float(scaled).bitPattern, count: 4)
    case .float64: return framed(scaled.bitPattern, count: 8)
    case .text, .hex, .base64: return framed(Array(Self.decimal(scaled).utf8))
    default: break
    }
    let (count, isSigned) = integerShape
    return framed(Self.integer(scaled, bits: count * 8, isSigned: isSigned), count: count)
  }

  /// The value for a text of a file or a command; nil if it is none in this format.
  public func value(of text: some StringProtocol) -> [UInt8]? {
    switch format {
    case .text: return framed(Array(text.utf8))
    case .hex: return Self.bytes(hex: text).map(framed)
    case .base64: return Array(text.utf8).withUnsafeBufferPointer { Base64.decode($0) }.map(framed)
    default: return Double(text).flatMap { $0.isFinite ? value(of: $0) : nil }
    }
  }

  /// Whether numbers have a place in the format.
  public var takesNumbers: Bool { format != .hex && format != .base64 }

  private var integerShape: (count: Int, isSigned: Bool) {
    switch format {
    case .uint8: (1, false)
    case .int8: (1, true)
    case .uint16: (2, false)
    case .int16: (2, true)
    case .uint24: (3, false)
    case .int24: (3, true)
    case .uint32: (4, false)
    case .int32: (4, true)
    case .uint64: (8, false)
    default: (8, true)
    }
  }

  private static func integer(_ number: Double, bits: Int, isSigned: Bool) -> UInt64 {
    guard number.isFinite else { return 0 }
    let rounded = number.rounded()
    if isSigned {
      let limit = Int64.max >> (64 - Int64(bits))
      if rounded >= Double(limit) { return UInt64(bitPattern: limit) }
      if rounded <= -Double(limit) - 1 { return UInt64(bitPattern: -limit - 1) }
      return UInt64(bitPattern: Int64(rounded))
    }
    let limit = UInt64.max >> (64 - UInt64(bits))
    return rounded <= 0 ? 0 : rounded >= Double(limit) ? limit : UInt64(rounded)
  }

  private func framed(_ bits: some FixedWidthInteger & UnsignedInteger, count: Int) -> [UInt8] {
    let littleEndian = (0..<count).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
    return framed(isBigEndian ? littleEndian.reversed() : littleEndian)
  }

  private func framed(_ bytes: [UInt8]) -> [UInt8] {
    prefix.isEmpty && suffix.isEmpty ? bytes : prefix + bytes + suffix
  }

  private static func decimal(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? number.description
  }

  private static func bytes(hex text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.filter { $0 != UInt8(ascii: " ") }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = hexValue(digits[index]), let low = hexValue(digits[index + 1]) else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}

extension ValueEncoding {
  init(_ fields: MessageFields) throws(FieldError) {
    self.init()
    format = try fields.name("format", of: Format.self, default: .uint8)
    scale = try fields.optionalDouble("scale") ?? 1
    isBigEndian = try fields.bool("bigEndian", default: false)
    prefix = try fields.value("prefix") ?? []
    suffix = try fields.value("suffix") ?? []
  }
}
