/// Which of an app's updates are on their way, and whether it waits for room.
package struct UpdateWindow {
  private let depth: Int
  private var outstanding = 0
  private var nextUpdate = 1
  private var isBlocked = false

  package init(depth: Int) { self.depth = max(1, depth) }

  /// - Returns: the number of a new update; nil if there is no room, of which the app is told when there is.
  package mutating func begin() -> Int? {
    guard outstanding < depth else {
      isBlocked = true
      return nil
    }
    outstanding += 1
    defer { nextUpdate += 1 }
    return nextUpdate
  }

  /// - Returns: whether the app is to be told of room.
  package mutating func finish() -> Bool {
    outstanding = max(0, outstanding - 1)
    // Not for each single place: the app fills several at a time.
    guard isBlocked, outstanding <= depth / 2 else { return false }
    isBlocked = false
    return true
  }

  /// What was on its way is void.
  package mutating func reset() {
    outstanding = 0
    isBlocked = false
  }
}
