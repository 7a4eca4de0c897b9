/// Base64 as RFC 4648 section 4 has it: standard alphabet, padded, nothing else tolerated.
package enum Base64 {
  /// The bytes of `text`; nil for a wrong length, a foreign character, misplaced padding or non-zero spare bits.
  package static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
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
      // Gathers the top bits, which only foreign characters have.
      var bad: UInt32 = 0
      func bits(_ index: Int) -> UInt32 {
        let value = UInt32(values[Int(text[index])])
        bad |= value
        return value
      }
      let whole = text.count / 4 - (padding > 0 ? 1 : 0)
      for index in 0..<whole {
        let from = index * 4
        let group = bits(from) << 18 | bits(from + 1) << 12 | bits(from + 2) << 6 | bits(from + 3)
        target[index * 3] = UInt8(truncatingIfNeeded: group >> 16)
        target[index * 3 + 1] = UInt8(truncatingIfNeeded: group >> 8)
        target[index * 3 + 2] = UInt8(truncatingIfNeeded: group)
      }
      if padding > 0 {
        let from = whole * 4
        let group = bits(from) << 18 | bits(from + 1) << 12 | (padding == 1 ? bits(from + 2) << 6 : 0)
        target[whole * 3] = UInt8(truncatingIfNeeded: group >> 16)
        if padding == 1 { target[whole * 3 + 1] = UInt8(truncatingIfNeeded: group >> 8) }
        // Spare bits must be zero, else two texts would mean the same bytes.
        if group & (padding == 1 ? 0xFF : 0xFFFF) != 0 { return false }
      }
      return bad & 0x80 == 0
    }
  }

  /// Appends the text of `bytes`.
  package static func encode(_ bytes: [UInt8], into text: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: (bytes.count + 2) / 3 * 4) { target in
      bytes.withUnsafeBufferPointer { encode($0, into: target) }
      text.append(contentsOf: UnsafeBufferPointer(target))
    }
  }

  private static func encode(_ bytes: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) {
    alphabet.withUnsafeBufferPointer { alphabet in
      let whole = bytes.count / 3
      for index in 0..<whole {
        let from = index * 3
        let group = UInt32(bytes[from]) << 16 | UInt32(bytes[from + 1]) << 8 | UInt32(bytes[from + 2])
        target[index * 4] = alphabet[Int(group >> 18)]
        target[index * 4 + 1] = alphabet[Int(group >> 12 & 0x3F)]
        target[index * 4 + 2] = alphabet[Int(group >> 6 & 0x3F)]
        target[index * 4 + 3] = alphabet[Int(group & 0x3F)]
      }
      let rest = bytes.count - whole * 3
      guard rest > 0 else { return }
      let group = UInt32(bytes[whole * 3]) << 16 | (rest == 2 ? UInt32(bytes[whole * 3 + 1]) << 8 : 0)
      target[whole * 4] = alphabet[Int(group >> 18)]
      target[whole * 4 + 1] = alphabet[Int(group >> 12 & 0x3F)]
      target[whole * 4 + 2] = rest == 2 ? alphabet[Int(group >> 6 & 0x3F)] : UInt8(ascii: "=")
      target[whole * 4 + 3] = UInt8(ascii: "=")
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
