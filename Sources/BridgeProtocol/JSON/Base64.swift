/// Base64 as RFC 4648 section 4 has it: standard alphabet, padded, nothing else tolerated.
enum Base64 {
  /// The bytes of `text`; nil for a wrong length, a foreign character, misplaced padding or non-zero spare bits.
  static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count & 3 == 0 else { return nil }
    guard let last = text.last else { return [] }
    let padding = last != UInt8(ascii: "=") ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
    let length = text.count / 4 * 3 - padding
    var isValid = true
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { target, count in
      isValid = decode(text, padding: padding, into: target)
      count = isValid ? length : 0
    }
    return isValid ? bytes : nil
  }

  private static func decode(
    _ text: UnsafeBufferPointer<UInt8>, padding: Int, into target: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    values.withUnsafeBufferPointer { values in
      var bad: UInt8 = 0
      func group(_ start: Int, _ count: Int) -> UInt32 {
        var bits: UInt32 = 0
        for index in 0..<count {
          let value = values[Int(text[start + index])]
          bad |= value
          bits |= UInt32(value & 0x3F) << UInt32(18 - 6 * index)
        }
        return bits
      }
      let whole = text.count / 4 - (padding > 0 ? 1 : 0)
      for index in 0..<whole {
        let bits = group(index * 4, 4)
        target[index * 3] = UInt8(truncatingIfNeeded: bits >> 16)
        target[index * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8)
        target[index * 3 + 2] = UInt8(truncatingIfNeeded: bits)
      }
      if padding > 0 {
        let bits = group(whole * 4, 4 - padding)
        target[whole * 3] = UInt8(truncatingIfNeeded: bits >> 16)
        if padding == 1 { target[whole * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
        // Spare bits must be zero, else two texts would mean the same bytes.
        if bits & (padding == 1 ? 0xFF : 0xFFFF) != 0 { return false }
      }
      return bad & 0x80 == 0
    }
  }

  /// Appends the text of `bytes`.
  static func encode(_ bytes: [UInt8], into text: inout [UInt8]) {
    text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
    bytes.withUnsafeBufferPointer { bytes in
      alphabet.withUnsafeBufferPointer { alphabet in
        func character(_ bits: UInt32, _ index: UInt32) -> UInt8 { alphabet[Int(bits >> (18 - 6 * index) & 0x3F)] }
        var position = 0
        while position + 2 < bytes.count {
          let bits =
            UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2])
          for index in 0..<4 { text.append(character(bits, UInt32(index))) }
          position += 3
        }
        guard position < bytes.count else { return }
        let isPair = position + 1 < bytes.count
        let bits = UInt32(bytes[position]) << 16 | (isPair ? UInt32(bytes[position + 1]) << 8 : 0)
        text.append(character(bits, 0))
        text.append(character(bits, 1))
        text.append(isPair ? character(bits, 2) : UInt8(ascii: "="))
        text.append(UInt8(ascii: "="))
      }
    }
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The six bits of each character; 0x80 for those outside the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0x80, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}
