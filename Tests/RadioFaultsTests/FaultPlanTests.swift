import BridgeIO
import BridgeProtocol
import TestSupport
import Testing

@testable import RadioFaults

/// Which operations a rule strikes.
@Suite @BridgeQueue struct FaultPlanTests {
  private let one = PeripheralIdentifier(high: 1, low: 1)
  private let other = PeripheralIdentifier(high: 2, low: 2)

  private func rule(_ operation: FaultOperation = .read, _ set: (inout FaultRule) -> Void = { _ in }) -> FaultRule {
    var rule = FaultRule(operation)
    rule.error = .attribute(5)
    set(&rule)
    return rule
  }

  private func strikes(
    _ plan: FaultPlan, _ operation: FaultOperation = .read, _ peripheral: PeripheralIdentifier? = nil,
    name: String? = nil, _ names: AttributeNames = AttributeNames()
  ) -> Bool {
    verdict(plan, operation, peripheral, name: name, names).error != nil
  }

  private func verdict(
    _ plan: FaultPlan, _ operation: FaultOperation, _ peripheral: PeripheralIdentifier? = nil, name: String? = nil,
    _ names: AttributeNames = AttributeNames()
  ) -> FaultVerdict {
    var verdict = FaultVerdict()
    plan.judge(operation, of: peripheral ?? one, name: { name }, attribute: { names }, &verdict)
    return verdict
  }

  private func run(_ plan: FaultPlan, _ count: Int, _ peripheral: PeripheralIdentifier? = nil) -> [Bool] {
    (0..<count).map { _ in strikes(plan, .read, peripheral) }
  }

  @Test func theNextOperationFailsAndTheRuleIsDone() {
    let plan = FaultPlan()
    plan.add(rule { $0.count = 1 })
    #expect(run(plan, 3) == [true, false, false])
    #expect(!plan.isActive)
  }

  @Test func theThirdOperationFailsAlone() {
    let plan = FaultPlan()
    plan.add(
      rule {
        $0.after = 2
        $0.count = 1
      })
    #expect(run(plan, 5) == [false, false, true, false, false])
  }

  @Test func everySecondOperationFails() {
    let plan = FaultPlan()
    plan.add(rule { $0.every = 2 })
    #expect(run(plan, 5) == [true, false, true, false, true])
    #expect(plan.faults.map(\.applied) == [3])
  }

  @Test func theSameSeedStrikesTheSameOperations() {
    func strikesOf(seed: UInt64) -> [Bool] {
      let plan = FaultPlan()
      plan.add(
        rule {
          $0.rate = 0.3
          $0.seed = seed
        })
      return run(plan, 1000)
    }
    let strikes = strikesOf(seed: 7)
    #expect(strikes == strikesOf(seed: 7))
    #expect(strikes != strikesOf(seed: 8))
    #expect((250...350).contains(strikes.count { $0 }))
  }

  @Test func whatOneDeviceDoesDoesNotChangeWhatAnotherSees() {
    let alone = FaultPlan()
    let together = FaultPlan()
    for plan in [alone, together] { plan.add(rule { $0.rate = 0.5 }) }
    let expected = run(alone, 100, other)
    var seen: [Bool] = []
    for _ in 0..<100 {
      _ = run(together, 3, one)
      seen += run(together, 1, other)
    }
    #expect(seen == expected)
  }

  @Test func aRateOfOneStrikesAlwaysAndOfZeroNever() {
    let plan = FaultPlan()
    plan.add(rule { $0.rate = 1 })
    #expect(run(plan, 50).allSatisfy { $0 })
    plan.clear()
    plan.add(rule { $0.rate = 0 })
    #expect(!run(plan, 50).contains(true))
  }

  @Test func onlyWhatIsNamedIsStruck() {
    let battery = AttributeNames(
      service: BluetoothUUID(short: 0x180F), characteristic: BluetoothUUID(short: 0x2A19))
    let plan = FaultPlan()
    plan.add(
      rule {
        $0.id = one
        $0.characteristic = BluetoothUUID(short: 0x2A19)
      })
    #expect(strikes(plan, .read, one, battery))
    #expect(!strikes(plan, .read, other, battery))
    #expect(!strikes(plan, .write, one, battery))
    #expect(!strikes(plan, .read, one, AttributeNames(service: battery.service)))
    plan.clear()
    plan.add(rule { $0.name = "Lamp" })
    #expect(strikes(plan, name: "Lamp"))
    #expect(!strikes(plan, name: "Lamp 2"))
    #expect(!strikes(plan, name: nil))
  }

  @Test func whoIsExcludedIsSpared() {
    let plan = FaultPlan()
    plan.add(rule(), excluding: [other])
    #expect(strikes(plan, .read, one))
    #expect(!strikes(plan, .read, other))
  }

  @Test func aRuleForRequestsIsForAllKindsOfThem() {
    let plan = FaultPlan()
    plan.add(rule(.request))
    for operation in FaultOperation.allCases { #expect(strikes(plan, operation) == operation.isRequest) }
  }

  @Test func countingBeginsAnewWithEachLinkIfTheRuleSaysSo() {
    let plan = FaultPlan()
    plan.add(
      rule {
        $0.after = 1
        $0.count = 1
        $0.perLink = true
      })
    for _ in 0..<2 {
      _ = plan.linkFaults(of: one, name: { nil })
      #expect(run(plan, 3) == [false, true, false])
    }
  }

  @Test func delaysAddUpAndTheFirstErrorCounts() {
    let plan = FaultPlan()
    plan.add(rule { $0.delay = 0.5 })
    plan.add(
      rule {
        $0.error = .attribute(6)
        $0.delay = 0.25
      })
    let verdict = verdict(plan, .read)
    #expect(verdict.delay == .milliseconds(750))
    #expect(verdict.error == .attribute(5))
  }

  @Test func jitterIsSeededAndBounded() {
    func delays() -> [Duration] {
      let plan = FaultPlan()
      var rule = FaultRule(.notification)
      (rule.delay, rule.jitter, rule.seed) = (1, 0.5, 3)
      plan.add(rule)
      return (0..<100).map { _ in verdict(plan, .notification).delay }
    }
    #expect(delays() == delays())
    #expect(Set(delays()).count > 90)
    #expect(delays().allSatisfy { $0 >= .seconds(1) && $0 < .milliseconds(1500) })
  }

  @Test func faultsAreListedInOrderAndClearedByNumber() {
    let plan = FaultPlan()
    let first = plan.add(rule { $0.id = one }).number
    let second = plan.add(rule(.write)).number
    #expect(plan.faults.map(\.number) == [first, second])
    #expect(plan.clear(first) == 1)
    #expect(plan.clear(first) == 0)
    #expect(!strikes(plan) && strikes(plan, .write))
    #expect(plan.clear() == 1)
    #expect(!plan.isActive)
  }
}
