import BridgeIO
import BridgeProtocol

/// A rule that is set, and how far it has come.
@BridgeQueue
final class Fault {
  private struct Progress {
    var random: SplitMix64
    var seen = 0
    var applied = 0
  }

  let number: Int
  let rule: FaultRule
  /// It strikes always and alike: there is nothing to count.
  private let isUnconditional: Bool
  private let excluded: Set<PeripheralIdentifier>
  private(set) var applied = 0
  /// It was taken back: what it has put off does not happen.
  var isCleared = false
  private var progress: [PeripheralIdentifier: Progress] = [:]
  /// Devices that change their address are another each time.
  private static let memory = 16384

  init(_ rule: FaultRule, excluding excluded: Set<PeripheralIdentifier>, number: Int) {
    self.rule = rule
    self.excluded = excluded
    self.number = number
    isUnconditional =
      rule.after == 0 && rule.every == 1 && rule.rate == 1 && rule.count == nil && !(rule.jitter > 0)
  }

  /// Whether the rule is for the peripheral, as far as its name and what it is asked for do not matter.
  func concerns(_ peripheral: PeripheralIdentifier) -> Bool {
    (rule.id ?? peripheral) == peripheral && (excluded.isEmpty || !excluded.contains(peripheral))
  }

  /// Nothing more will come of it.
  var isSpent: Bool { !rule.perLink && applied >= rule.count ?? Int.max }

  var status: FaultStatus { FaultStatus(number: number, applied: applied, rule: rule) }

  /// Counts an operation that the rule is for, and adds what it does to it, if anything.
  func judge(_ peripheral: PeripheralIdentifier, _ verdict: inout FaultVerdict) {
    if isUnconditional {
      applied += 1
      return verdict.add(rule, jitter: 0)
    }
    if progress.count >= Self.memory { progress = [:] }
    var own = progress[peripheral] ?? Progress(random: SplitMix64(seed: rule.seed ?? 0, for: peripheral))
    defer { progress[peripheral] = own }
    let index = own.seen - rule.after
    own.seen += 1
    guard index >= 0, index.isMultiple(of: rule.every), (rule.perLink ? own.applied : applied) < rule.count ?? Int.max
    else { return }
    if rule.rate < 1, own.random.nextFraction() >= rule.rate { return }
    own.applied += 1
    applied += 1
    verdict.add(rule, jitter: rule.jitter > 0 ? own.random.nextFraction() : 0)
  }

  func linkBegan(_ peripheral: PeripheralIdentifier) {
    guard rule.perLink else { return }
    progress[peripheral]?.seen = 0
    progress[peripheral]?.applied = 0
  }
}
