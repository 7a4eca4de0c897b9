import BridgeProtocol
import Testing

@testable import MockBackend

/// The values of a source, without their times passing.
@Suite struct ValueGeneratorTests {
  private func generator(_ kind: ValueSource.Kind, seed: UInt64 = 1, _ set: (inout ValueSource) -> Void = { _ in })
    -> ValueGenerator
  {
    var source = ValueSource(kind, ValueEncoding(.int16))
    set(&source)
    return ValueGenerator(source, random: SplitMix64(seed: seed))
  }

  private func times(_ generator: ValueGenerator, _ count: Int) -> [Double?] {
    var generator = generator
    return (0..<count).map { _ in generator.next()?.at }
  }

  private func values(_ generator: ValueGenerator, _ count: Int) -> [Int] {
    var generator = generator
    return (0..<count).map { _ in
      let bytes = generator.nextValue()
      return Int(Int16(truncatingIfNeeded: Int(bytes[0]) | Int(bytes[1]) << 8))
    }
  }

  @Test func aListComesAtItsIntervalAndBeginsAgain() {
    let list = ValueSource.Kind.list([.init([1]), .init([2])])
    #expect(times(generator(list) { $0.interval = 0.5 }, 4) == [0.5, 1, 1.5, 2])
    #expect(times(generator(list) { $0.repeats = false }, 3) == [1, 2, nil])
  }

  @Test func recordedTimesAreKeptInEachRound() {
    let list = ValueSource.Kind.list([.init([1], at: 0), .init([2], at: 0.25), .init([3], at: 2)])
    #expect(times(generator(list), 6) == [0, 0.25, 2, 3, 3.25, 5])
  }

  @Test func aCounterStartsOverPastItsEnd() {
    #expect(values(generator(.counter(from: 1, to: 3, step: 1)), 5) == [1, 2, 3, 1, 2])
    #expect(values(generator(.counter(from: 2, to: -2, step: -2)), 4) == [2, 0, -2, 2])
  }

  @Test func aRandomWalkStaysBetweenItsBoundsAndTakesSmallSteps() {
    let walk = values(generator(.randomWalk(from: 0, -10...10, step: 3)), 1000)
    #expect(walk.allSatisfy { -10...10 ~= $0 })
    #expect(zip(walk, walk.dropFirst()).allSatisfy { abs($0 - $1) <= 4 })
    #expect(Set(walk).count > 10)
  }

  @Test func theSameSeedGivesTheSameValues() {
    for kind in [ValueSource.Kind.random(-1000...1000), .randomWalk(from: 0, -100...100, step: 9)] {
      #expect(values(generator(kind, seed: 4), 100) == values(generator(kind, seed: 4), 100))
      #expect(values(generator(kind, seed: 4), 100) != values(generator(kind, seed: 5), 100))
    }
    var (one, other) = (generator(.bytes(20), seed: 2), generator(.bytes(20), seed: 2))
    #expect(one.nextValue() == other.nextValue())
    #expect(one.nextValue().count == 20)
  }

  @Test func jitterMakesIntervalsLongerByItsPart() {
    let times = times(generator(.time) { ($0.interval, $0.jitter) = (1, 0.5) }, 50).compactMap(\.self)
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(gaps.allSatisfy { 0.999...1.501 ~= $0 })
    #expect(Set(gaps).count > 40)
  }

  @Test func numbersAtTheEdgeOfWhatThereIsDoNotTrap() {
    let greatest = Double.greatestFiniteMagnitude
    _ = values(generator(.random(-greatest...greatest)), 100)
    _ = values(generator(.randomWalk(from: 0, -greatest...greatest, step: greatest)), 100)
    _ = values(generator(.counter(from: 0, to: greatest, step: greatest)), 10)
  }
}

/// Files of comma-separated values.
@Suite struct CSVTableTests {
  @Test func ofATableThatIsTooLargeTheRestIsLeftOut() {
    let long = CSVTable.rows(of: "v\n" + String(repeating: "1\n", count: 100), limit: 10)
    #expect(long == [["v"]] + Array(repeating: ["1"], count: 10))
    let wide = CSVTable.rows(of: "v" + String(repeating: ",", count: 5000) + "\n1")
    #expect(wide.map(\.count) == [CSVTable.maximumColumns, 1])
  }

  private func values(_ text: String, _ change: (inout CSVFile) -> Void = { _ in }) throws -> [ValueSource.TimedValue] {
    var file = CSVFile(path: "x", time: .named("time"), value: .named("bpm"))
    change(&file)
    return try CSVTable.values(of: text, file, ValueEncoding(.uint8))
  }

  @Test func rowsComeAtTheirTimesFromTheFirstOn() throws {
    let values = try values("time, bpm\r\n100,60\r\n100.5, 61\n\n103,62") { $0.speed = 2 }
    #expect(values == [.init([60], at: 0), .init([61], at: 0.25), .init([62], at: 1.5)])
  }

  @Test func columnsMayBeCountedAndTimesLeftOut() throws {
    let values = try values("60,a\n61,b\n") {
      $0.time = nil
      $0.value = .position(0)
    }
    #expect(values == [.init([60]), .init([61])])
  }

  @Test func damagedRowsAreLeftOut() throws {
    let values = try values("time,bpm\n1,60\nx,61\n2\n3,x\n0,62\n4,63\nnan,64\n1e300,65\n")
    #expect(values == [.init([60], at: 0), .init([63], at: 3)])
  }

  @Test(arguments: [("", "no column 'bpm'"), ("time,bpm\n", "no row with a value"), ("a,b\n1,2\n", "no column 'bpm'")])
  func aFileThatHoldsNothingSaysSo(_ text: String, _ reason: String) {
    #expect(throws: CSVTable.Problem(reason: reason)) { try values(text) }
  }

  @Test func quotesHoldCommasAndLines() {
    #expect(
      CSVTable.rows(of: "a,\"b,\"\"c\"\"\nd\",e\n\"\",f\n") == [["a", "b,\"c\"\nd", "e"], ["", "f"]])
  }
}
