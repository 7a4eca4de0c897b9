/// Numbers that a person typed: `1 3-5`, `!2` for all but that, `all`, `none`; nothing means all.
struct Selection {
  /// Places in the list, from 0, in its order.
  let chosen: [Int]

  /// nil for what cannot be understood, or names no place of the list.
  init?(_ text: String, of count: Int) {
    let words = text.split { $0 == " " || $0 == "," || $0 == "\t" }
    var included: Set<Int> = []
    var excluded: Set<Int> = []
    var includesAll = words.allSatisfy { $0.hasPrefix("!") }
    for word in words {
      switch word.lowercased() {
      case "all": includesAll = true
      case "none" where words.count == 1:
        chosen = []
        return
      default:
        let isExclusion = word.hasPrefix("!")
        guard let range = Self.range(isExclusion ? word.dropFirst() : word, count) else { return nil }
        if isExclusion { excluded.formUnion(range) } else { included.formUnion(range) }
      }
    }
    chosen = (0..<count).filter { (includesAll || included.contains($0)) && !excluded.contains($0) }
  }

  private static func range(_ word: Substring, _ count: Int) -> ClosedRange<Int>? {
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], 1 <= first, first <= last,
      last <= count
    else { return nil }
    return (first - 1)...(last - 1)
  }
}
