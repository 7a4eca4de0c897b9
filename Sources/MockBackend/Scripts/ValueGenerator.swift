import BridgeProtocol
import Glibc

/// The values of a source one after another; the same seed gives the same values.
struct ValueGenerator {
  struct Timed: Equatable {
    /// Seconds since the start.
    var at: Double
    var value: [UInt8]
  }

  private let source: ValueSource
  /// Of a list, or what a file holds.
  private let list: [ValueSource.TimedValue]
  private var random: SplitMix64
  private var number: Double
  private var index = 0
  /// When the value before came, or the start.
  private var time = 0.0
  /// When this round of the list began.
  private var round = 0.0

  /// - Parameter rows: of a source that is a file.
  init(_ source: ValueSource, rows: [ValueSource.TimedValue] = [], random: SplitMix64) {
    self.source = source
    self.random = random
    if case .list(let values) = source.kind { list = values } else { list = rows }
    number =
      switch source.kind {
      case .counter(let from, _, _): from
      case .randomWalk(let from, _, _): from
      default: 0
      }
  }

  /// The next value and its time; nil at the end.
  mutating func next() -> Timed? {
    switch source.kind {
    case .list, .csv: return nextOfList()
    case .command: return nil
    default:
      time += interval()
      return Timed(at: time, value: nextValue())
    }
  }

  /// The value of a read.
  mutating func nextValue() -> [UInt8] {
    switch source.kind {
    case .counter(let from, let to, let step):
      defer { count(from, to, step) }
      return source.encoding.value(of: number)
    case .random(let bounds): return source.encoding.value(of: draw(bounds))
    case .randomWalk(_, let bounds, let step):
      defer { number = min(max(number + draw(-step...step), bounds.lowerBound), bounds.upperBound) }
      return source.encoding.value(of: number)
    case .time:
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return source.encoding.value(of: Double(now.tv_sec) + Double(now.tv_nsec) / 1e9)
    case .bytes(let count): return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    case .list, .csv, .command: return nextOfList()?.value ?? list.last?.value ?? []
    }
  }

  private mutating func count(_ from: Double, _ to: Double, _ step: Double) {
    number += step
    if step > 0 ? number > to : number < to { number = from }
  }

  private mutating func draw(_ bounds: ClosedRange<Double>) -> Double {
    let share = random.nextFraction()
    // Written so that no difference of bounds overflows.
    return bounds.lowerBound * (1 - share) + bounds.upperBound * share
  }

  private mutating func interval() -> Double {
    source.jitter > 0 ? source.interval + source.jitter * random.nextFraction() : source.interval
  }

  private mutating func nextOfList() -> Timed? {
    if index == list.count {
      guard source.repeats, !list.isEmpty else { return nil }
      index = 0
      // One that begins at once would come together with the last.
      round = list[0].at == nil ? time : time + interval()
    }
    let entry = list[index]
    index += 1
    time = entry.at.map { round + $0 } ?? time + interval()
    return Timed(at: time, value: entry.value)
  }
}
