import BridgeProtocol

/// What happens to one operation, all rules taken together.
struct FaultVerdict {
  var delay = Duration.zero
  var error: BluetoothError?
  var isLost = false
  /// The link ends after it, with this.
  var drop: BluetoothError?
  /// These services change after it.
  var changes: [ServiceChange] = []

  enum ServiceChange: Hashable {
    case all
    case only(BluetoothUUID)
  }

  /// Something comes after the operation.
  var hasConsequence: Bool { drop != nil || !changes.isEmpty }

  /// Adds what a rule does that strikes; of several errors the first counts.
  mutating func add(_ rule: FaultRule, jitter fraction: Double) {
    delay += .seconds(rule.delay + rule.jitter * fraction)
    if rule.lose { isLost = true }
    if rule.changeServices { changes.append(rule.service.map(ServiceChange.only) ?? .all) }
    guard rule.drop else {
      error = error ?? rule.error
      return
    }
    // An ATT error is the request's, others are the end of the link's.
    guard let reason = rule.error, reason.domain == .attribute else {
      drop = drop ?? rule.error ?? .peripheralDisconnected
      return
    }
    error = error ?? reason
    drop = drop ?? .peripheralDisconnected
  }
}
