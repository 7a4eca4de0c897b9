import Testing

@testable import BridgeServer

@Suite struct SlotSetTests {
  private func set(_ slots: [Int]) -> SlotSet {
    var set = SlotSet()
    for slot in slots { set.insert(slot) }
    return set
  }

  @Test func keepsNumbersOfAnySizeInOrder() {
    var slots = set([700, 0, 63, 64, 127, 128])
    #expect(Array(slots) == [0, 63, 64, 127, 128, 700])
    #expect(slots.contains(64) && !slots.contains(65) && !slots.contains(5000))
    slots.remove(64)
    slots.remove(5000)
    #expect(Array(slots) == [0, 63, 127, 128, 700])
  }

  @Test func isEmptyOnceAllAreRemoved() {
    var slots = set([3, 99])
    slots.remove(3)
    #expect(!slots.isEmpty)
    slots.remove(99)
    #expect(slots.isEmpty)
  }

  @Test func unitesAndIntersectsSetsOfDifferentLengths() {
    let (short, long) = (set([1, 2]), set([2, 70, 200]))
    var union = short
    union.formUnion(long)
    #expect(Array(union) == [1, 2, 70, 200])
    union = long
    union.formUnion(short)
    #expect(Array(union) == [1, 2, 70, 200])
    #expect(Array(short.intersection(long)) == [2])
    #expect(Array(union.intersection(long)) == [2, 70, 200])
    union.subtract(long)
    #expect(Array(union) == [1])
    union = long
    union.subtract(set([2, 199, 200, 700]))
    #expect(Array(union) == [70])
  }
}
