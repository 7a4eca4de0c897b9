/// Lines waiting for a slow reader of which only the latest of each key matters, in the order in which the keys first came.
public struct ReplaceableLines {
  /// Whatever 128 bits tell lines apart.
  public struct Key: Hashable, Sendable {
    public var high: UInt64
    public var low: UInt64
    public init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }
  }

  typealias Write = @BridgeQueue (inout [UInt8]) -> Void

  private var writes: [Key: Write] = [:]
  private var order: [Key] = []
  private var next = 0

  var count: Int { writes.count }

  mutating func put(_ key: Key, _ write: @escaping Write) {
    if writes.updateValue(write, forKey: key) == nil { order.append(key) }
  }

  mutating func takeFirst() -> Write? {
    guard next < order.count else { return nil }
    defer {
      next += 1
      if next == order.count {
        order.removeAll()
        next = 0
      }
    }
    return writes.removeValue(forKey: order[next])
  }

  mutating func removeAll() {
    writes.removeAll()
    order.removeAll()
    next = 0
  }
}
