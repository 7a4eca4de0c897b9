import BridgeIO

/// What a request, or a batch of writes, is answered with: once.
package final class RequestTicket: Sendable {
  package enum Kind {
    case read
    case write
  }

  let number: Int
  let kind: Kind
  private let isUsed = Lock(false)

  package init(_ number: Int, _ kind: Kind) {
    self.number = number
    self.kind = kind
  }

  /// - Returns: whether it had not been used.
  package func use() -> Bool {
    isUsed.withLock { isUsed in
      defer { isUsed = true }
      return !isUsed
    }
  }
}
