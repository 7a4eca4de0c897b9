/// A set of small numbers, free of allocation below 64.
struct SlotSet {
  fileprivate var first: UInt64 = 0
  fileprivate var others: [UInt64] = []

  var isEmpty: Bool { first == 0 && others.allSatisfy { $0 == 0 } }

  func contains(_ slot: Int) -> Bool {
    if slot < 64 { return first & 1 << UInt64(slot) != 0 }
    let word = slot / 64 - 1
    return word < others.count && others[word] & 1 << UInt64(slot % 64) != 0
  }

  mutating func insert(_ slot: Int) {
    if slot < 64 {
      first |= 1 << UInt64(slot)
    } else {
      let word = slot / 64 - 1
      while others.count <= word { others.append(0) }
      others[word] |= 1 << UInt64(slot % 64)
    }
  }

  mutating func remove(_ slot: Int) {
    guard contains(slot) else { return }
    if slot < 64 { first &= ~(1 << UInt64(slot)) } else { others[slot / 64 - 1] &= ~(1 << UInt64(slot % 64)) }
  }

  mutating func formUnion(_ other: SlotSet) {
    first |= other.first
    if others.isEmpty {
      others = other.others
    } else {
      while others.count < other.others.count { others.append(0) }
      for (word, bits) in other.others.enumerated() { others[word] |= bits }
    }
  }

  mutating func subtract(_ other: SlotSet) {
    first &= ~other.first
    for word in 0..<Swift.min(others.count, other.others.count) { others[word] &= ~other.others[word] }
  }

  func intersection(_ other: SlotSet) -> SlotSet {
    var result = SlotSet()
    result.first = first & other.first
    result.others = zip(others, other.others).map { $0 & $1 }
    while result.others.last == 0 { result.others.removeLast() }
    return result
  }
}

extension SlotSet: Sequence {
  /// Gives them from the lowest up.
  struct Iterator: IteratorProtocol {
    private var bits: UInt64
    private var word = 0
    private let others: [UInt64]

    init(_ set: SlotSet) {
      bits = set.first
      others = set.others
    }

    mutating func next() -> Int? {
      while bits == 0 {
        guard word < others.count else { return nil }
        bits = others[word]
        word += 1
      }
      defer { bits &= bits - 1 }
      return word * 64 + bits.trailingZeroBitCount
    }
  }

  func makeIterator() -> Iterator { Iterator(self) }
}
