import BridgeIO
import BridgeProtocol
import Radio
import TestSupport
import Testing

@testable import RadioFaults

/// Connects that fail, links that break, services that change.
@Suite @BridgeQueue struct LinkFaultTests {
  private typealias Fixture = FaultFixture

  @Test func connectsFailByRateTheSameEachRun() async {
    func run() async -> [String] {
      let fixture = Fixture()
      fixture.set(.connect) { ($0.error, $0.rate, $0.seed) = (.connectionFailed, 0.5, 11) }
      var outcomes: [String] = []
      for _ in 0..<20 {
        fixture.radio.connect(fixture.lamp)
        outcomes += await fixture.events(1)
        fixture.radio.disconnect(fixture.lamp)
        _ = await fixture.events(1)
      }
      return outcomes
    }
    let outcomes = await run()
    #expect(Set(outcomes) == ["connected", "failed 10"])
    #expect(await run() == outcomes)
  }

  @Test func aConnectThatIsHeldBackOrLostCanBeCancelled() async {
    let fixture = Fixture()
    for lose in [false, true] {
      fixture.plan.clear()
      fixture.set(.connect) { if lose { $0.lose = true } else { $0.delay = 60 } }
      fixture.radio.connect(fixture.lamp)
      await turns()
      #expect(fixture.recorder.events.isEmpty)
      fixture.radio.disconnect(fixture.lamp)
      #expect(fixture.recorder.events.isEmpty)
      #expect(await fixture.events(1) == ["disconnected"])
    }
    #expect(fixture.inner.takeCommands() == [.start])
  }

  @Test func aLinkIsDroppedNow() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.inner.onRead = { _, completion in
      fixture.inner.onDisconnect = { peripheral in
        completion(.failure(.operationCancelled))
        fixture.inner.loseLink(peripheral, nil)
      }
    }
    fixture.set(.notification) { $0.delay = 1 }
    fixture.read()
    fixture.set(.link) {
      $0.drop = true
      $0.count = 1
    }
    #expect(await fixture.events(2) == ["read CB 7", "disconnected 7"])
    #expect(fixture.plan.faultCount == 1)
  }

  @Test func aLinkIsDroppedAfterATimeEachTimeItStands() async {
    let fixture = Fixture()
    fixture.set(.link) {
      ($0.drop, $0.delay) = (true, 0.02)
      $0.error = .connectionTimeout
    }
    for _ in 0..<2 {
      fixture.radio.connect(fixture.lamp)
      #expect(await fixture.events(2) == ["connected", "disconnected 6"])
    }
  }

  @Test func aDropThatIsClearedBeforeItsTimeDoesNotHappen() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.link) { ($0.drop, $0.delay) = (true, 0.01) }
    fixture.plan.clear()
    let waited = await result { done in QueueTimer(after: .milliseconds(30)) { done(true) } }
    #expect(waited && fixture.recorder.events.isEmpty)
  }

  @Test func theLinkEndsAfterTheThirdRequestOfEachLink() async {
    let fixture = Fixture()
    fixture.set(.read) {
      ($0.after, $0.count, $0.perLink) = (2, 1, true)
      $0.drop = true
    }
    for _ in 0..<2 {
      fixture.radio.connect(fixture.lamp)
      _ = await fixture.events(1)
      for number in 1...3 { fixture.read(Fixture.level, "read \(number)") }
      #expect(await fixture.events(4) == ["read 1 done", "read 2 done", "read 3 done", "disconnected 7"])
    }
  }

  @Test func aReadThatNeverGetsAnAnswerEndsTheLink() async {
    let fixture = Fixture(transactionTimeout: .milliseconds(20))
    await fixture.connect()
    fixture.set(.read) {
      $0.lose = true
      $0.count = 1
    }
    fixture.read()
    #expect(await fixture.events(2) == ["read CB 7", "disconnected 6"])
  }

  @Test func lettingGoOfALinkThatIsBeingDroppedIsToldOnce() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.read) { $0.delay = 60 }
    fixture.read()
    fixture.set(.link) { $0.drop = true }
    fixture.radio.disconnect(fixture.lamp)
    #expect(await fixture.events(2) == ["read CB 5", "disconnected"])
    #expect(fixture.inner.takeCommands() == [.disconnect(fixture.lamp)])
  }

  @Test func lettingGoOfALinkDoesNotWaitForNotificationsThatAreHeldBack() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.notification) { $0.delay = 60 }
    fixture.inner.notify([1], Fixture.level, of: fixture.lamp)
    fixture.radio.disconnect(fixture.lamp)
    #expect(await fixture.events(1) == ["disconnected"])
  }

  @Test func notificationsThatAreHeldBackDoNotFillTheMemory() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.notification) { $0.delay = 3600 }
    for _ in 0..<100_000 { fixture.inner.notify([1], Fixture.level, of: fixture.lamp) }
    #expect(fixture.radio.held.count == 32768)
    fixture.radio.disconnect(fixture.lamp)
    #expect(await fixture.events(1) == ["disconnected"])
    #expect(fixture.radio.held.count == 0)
  }

  @Test func aDelayedDisconnectHappensInTheEnd() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.disconnect) { $0.delay = 0.02 }
    fixture.radio.disconnect(fixture.lamp)
    #expect(fixture.inner.takeCommands().isEmpty)
    #expect(await fixture.events(1) == ["disconnected"])
  }

  @Test func changedServicesAreToldAndTheirNotificationsEnd() async {
    let fixture = Fixture()
    await fixture.connect()
    for handle in [Fixture.level, Fixture.other] {
      fixture.radio.setNotify(
        true, characteristic: handle, of: fixture.lamp, completion: fixture.recorder.noting("notify"))
    }
    _ = await fixture.events(2)
    _ = fixture.inner.takeCommands()
    fixture.set(.link) {
      ($0.changeServices, $0.count) = (true, 1)
      $0.service = BluetoothUUID(short: 0x180F)
    }
    #expect(await fixture.events(1) == ["services [1]"])
    #expect(fixture.inner.takeCommands() == [.setNotify(false, Fixture.level)])
  }
}
