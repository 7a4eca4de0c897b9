public import BridgeIO
public import BridgeProtocol

/// The faults that are set: decides what happens to each operation. Equal rules, seeds and operations of a device give
/// equal faults, whatever other devices do meanwhile.
@BridgeQueue
public final class FaultPlan {
  private var forAll: [Fault] = []
  private var forOne: [PeripheralIdentifier: [Fault]] = [:]
  private var lastNumber = 0
  private var radios: [() -> FaultRadio?] = []

  public init() {}

  /// Whether any fault is set.
  public private(set) var isActive = false

  // MARK: Setting and clearing

  /// A rule's number, and how often it has struck already: links that stand are struck at once.
  public struct Setting: Hashable, Sendable {
    public var number: Int
    public var applied: Int
  }

  /// Sets a fault, but for the peripherals that are excluded. The rule must have no `problem`.
  @discardableResult
  public func add(_ rule: FaultRule, excluding excluded: Set<PeripheralIdentifier> = []) -> Setting {
    lastNumber += 1
    let fault = Fault(rule, excluding: excluded, number: lastNumber)
    if let id = rule.id { forOne[id, default: []].append(fault) } else { forAll.append(fault) }
    isActive = true
    if rule.operation == .link {
      for radio in radios { radio()?.strikeLinks(with: fault) }
      // A rule for all is in the one list, a rule for one in the other.
      removeSpent(for: rule.id ?? PeripheralIdentifier(high: 0, low: 0))
    }
    return Setting(number: fault.number, applied: fault.applied)
  }

  /// Takes a fault back, nil for all; what is delayed already still comes.
  ///
  /// - Returns: how many were set and are not any more.
  @discardableResult
  public func clear(_ number: Int? = nil) -> Int {
    let cleared = (forAll + forOne.values.joined()).filter { number == nil || $0.number == number }
    for fault in cleared { fault.isCleared = true }
    forAll.removeAll { $0.isCleared }
    for fault in cleared {
      guard let id = fault.rule.id, let rest = forOne[id]?.filter({ !$0.isCleared }) else { continue }
      forOne[id] = rest.isEmpty ? nil : rest
    }
    isActive = !forAll.isEmpty || !forOne.isEmpty
    return cleared.count
  }

  /// In the order in which they were set.
  public var faults: [FaultStatus] {
    (forAll + forOne.values.joined()).sorted { $0.number < $1.number }.map(\.status)
  }

  /// How many are set.
  public var faultCount: Int { forOne.values.reduce(forAll.count) { $0 + $1.count } }

  /// What has done its work; what it has put off still happens.
  private func removeSpent(for peripheral: PeripheralIdentifier) {
    forAll.removeAll { $0.isSpent }
    if var own = forOne.removeValue(forKey: peripheral) {
      own.removeAll { $0.isSpent }
      if !own.isEmpty { forOne[peripheral] = own }
    }
    isActive = !forAll.isEmpty || !forOne.isEmpty
  }

  // MARK: Judging

  func add(_ radio: FaultRadio) {
    radios.removeAll { $0() == nil }
    radios.append { [weak radio] in radio }
  }

  /// Judges one operation; what a rule asks of the peripheral's name and the attribute's is looked up if one does.
  func judge(
    _ operation: FaultOperation, of peripheral: PeripheralIdentifier, name: () -> String?,
    attribute: () -> AttributeNames, _ verdict: inout FaultVerdict
  ) {
    guard isActive else { return }
    var hasSpent = false
    forEachFault(of: peripheral) { fault in
      let rule = fault.rule
      guard rule.operation.covers(operation), fault.concerns(peripheral), rule.name == nil || rule.name == name() else {
        return
      }
      if rule.namesAttribute, !attribute().match(rule) { return }
      fault.judge(peripheral, &verdict)
      if fault.isSpent { hasSpent = true }
    }
    if hasSpent { removeSpent(for: peripheral) }
  }

  /// The faults of the link itself, one by one, because each has its time.
  func linkFaults(of peripheral: PeripheralIdentifier, name: () -> String?) -> [(Fault, FaultVerdict)] {
    var found: [(Fault, FaultVerdict)] = []
    var hasSpent = false
    forEachFault(of: peripheral) { fault in
      fault.linkBegan(peripheral)
      guard fault.rule.operation == .link, fault.concerns(peripheral),
        fault.rule.name == nil || fault.rule.name == name()
      else { return }
      var verdict = FaultVerdict()
      fault.judge(peripheral, &verdict)
      if verdict.hasConsequence { found.append((fault, verdict)) }
      if fault.isSpent { hasSpent = true }
    }
    if hasSpent { removeSpent(for: peripheral) }
    return found
  }

  private func forEachFault(of peripheral: PeripheralIdentifier, _ body: (Fault) -> Void) {
    for fault in forAll { body(fault) }
    if !forOne.isEmpty, let own = forOne[peripheral] { for fault in own { body(fault) } }
  }
}

extension FaultRule {
  /// With `changeServices`, `service` says what changes; the operation may be any.
  fileprivate var namesAttribute: Bool {
    characteristic != nil || descriptor != nil || service != nil && operation.hasAttribute
  }
}
