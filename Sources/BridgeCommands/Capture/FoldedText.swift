/// A text for comparing names: without case, and Latin letters without their marks.
struct FoldedText: Hashable {
  private let text: String

  init(_ text: String) {
    self.text = String(String.UnicodeScalarView(text.unicodeScalars.compactMap(Self.base))).lowercased()
  }

  func contains(_ other: FoldedText) -> Bool { other.text.isEmpty || text.contains(other.text) }

  static func < (left: FoldedText, right: FoldedText) -> Bool { left.text < right.text }

  /// The letter below the marks; nil for a mark that stands by itself.
  private static func base(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    if scalar.isASCII { return scalar }
    if scalar.properties.generalCategory == .nonspacingMark { return nil }
    // LATIN SMALL LETTER E WITH ACUTE
    guard let name = scalar.properties.name, name.hasPrefix("LATIN "), name.contains(" WITH ") else { return scalar }
    let words = name.split(separator: " ")
    guard words.count > 4, words[2] == "LETTER", words[3].unicodeScalars.count == 1 else { return scalar }
    return words[3].unicodeScalars.first
  }
}
