import BridgeIO

/// What all scripts together may do in one turn of the queue: however many there are and however fast, clients get theirs.
@BridgeQueue
enum ScriptBudget {
  /// In values of sources: a few milliseconds' worth.
  static let perTurn = 4096
  /// Until then one that has found nothing left waits.
  static let pause = Duration.milliseconds(1)

  private static var left = perTurn
  private static var isBegun = false

  /// - Parameter cost: in values of sources.
  /// - Returns: false if nothing more may be done in this turn.
  static func take(_ cost: Int = 1) -> Bool {
    if !isBegun {
      isBegun = true
      BridgeQueue.atEndOfTurn {
        left = perTurn
        isBegun = false
      }
    }
    guard left > 0 else { return false }
    left -= cost
    return true
  }
}
