import BridgeIO
import BridgeProtocol
import Radio
import RadioFaults
import TestSupport
import Testing

/// What faults do to requests and events, and what order they keep.
@Suite @BridgeQueue struct FaultRadioTests {
  private typealias Fixture = FaultFixture

  @Test func withoutFaultsEverythingPassesAtOnce() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.read()
    fixture.inner.notify([7], Fixture.level, of: fixture.lamp)
    #expect(fixture.recorder.take() == ["notified [7]"])
    #expect(await fixture.events(1) == ["read done"])
  }

  @Test func theNextReadOfACharacteristicFailsWithTheGivenError() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.read) {
      $0.name = "Lamp"
      $0.characteristic = BluetoothUUID(short: 0x2A19)
      $0.error = .attribute(5)
      $0.count = 1
    }
    fixture.read(Fixture.other, "other")
    fixture.read()
    #expect(fixture.recorder.events.isEmpty, "never inside the call")
    fixture.read(Fixture.level, "again")
    #expect(Set(await fixture.events(3)) == ["other done", "read ATT 5", "again done"])
    #expect(fixture.inner.takeCommands() == [.read(Fixture.other), .read(Fixture.level)])
  }

  @Test func descriptorsAreReadAndWrittenUnderTheirOwnNames() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.readDescriptor) { $0.error = .attribute(2) }
    fixture.set(.writeDescriptor) {
      $0.descriptor = BluetoothUUID(short: 0x2901)
      $0.error = .attribute(3)
    }
    fixture.read(Fixture.name)
    fixture.read(Fixture.level, "value")
    fixture.radio.write([1], to: Fixture.name, of: fixture.lamp, completion: fixture.recorder.noting("write"))
    fixture.radio.write([1], to: Fixture.level, of: fixture.lamp, completion: fixture.recorder.noting("value write"))
    #expect(Set(await fixture.events(4)) == ["read ATT 2", "value done", "write ATT 3", "value write done"])
  }

  @Test func everyKindOfRequestCanFail() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.request) { $0.error = .attribute(14) }
    let (radio, lamp, recorder) = (fixture.radio, fixture.lamp, fixture.recorder)
    radio.discoverServices(of: lamp, completion: recorder.noting("discover"))
    fixture.read()
    radio.write([1], to: Fixture.level, of: lamp, completion: recorder.noting("write"))
    radio.writeWithoutResponse([1], to: Fixture.level, of: lamp, completion: recorder.noting("command"))
    radio.setNotify(true, characteristic: Fixture.level, of: lamp, completion: recorder.noting("notify"))
    radio.readRSSI(of: lamp, completion: recorder.noting("rssi"))
    radio.openL2CAPChannel(psm: 0x80, to: lamp, completion: recorder.noting("channel"))
    for step in [DiscoveryStep.characteristics(1), .includedServices(1), .descriptors(2)] {
      #expect(radio.holdsDiscovery(step, of: lamp, completion: recorder.noting("step")))
    }
    let names = ["discover", "read", "write", "command", "notify", "rssi", "channel", "step", "step", "step"]
    #expect(await fixture.events(10) == names.map { "\($0) ATT 14" })
    #expect(fixture.inner.takeCommands().isEmpty)
  }

  @Test func delayedRequestsKeepTheirOrder() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.read) {
      $0.delay = 0.05
      $0.count = 1
    }
    let start = ContinuousClock.now
    fixture.read()
    fixture.radio.write([1], to: Fixture.level, of: fixture.lamp, completion: fixture.recorder.noting("write"))
    #expect(await fixture.events(2) == ["read done", "write done"])
    #expect(ContinuousClock.now - start >= .milliseconds(50))
  }

  @Test func delayedNotificationsKeepTheirOrderAndHoldAnswersBack() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.notification) { ($0.delay, $0.jitter, $0.seed) = (0.01, 0.05, 1) }
    for value in 0..<20 { fixture.inner.notify([UInt8(value)], Fixture.level, of: fixture.lamp) }
    fixture.read()
    #expect(fixture.recorder.events.isEmpty)
    await turns()
    fixture.inner.loseLink(fixture.lamp, .connectionTimeout)
    let values = (0..<20).map { "notified [\($0)]" }
    let events = await fixture.events(22)
    #expect(events.filter { $0.hasPrefix("notified") } == values)
    #expect(events.suffix(2) == ["read done", "disconnected 6"])
  }

  @Test func whoLetsGoWhileTheEndIsHeldBackIsToldOnceAndWithoutAnError() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.notification) { $0.delay = 60 }
    fixture.inner.notify([1], Fixture.level, of: fixture.lamp)
    fixture.inner.loseLink(fixture.lamp, .connectionTimeout)
    fixture.radio.disconnect(fixture.lamp)
    #expect(await fixture.events(1) == ["disconnected"])
    #expect(fixture.inner.takeCommands().isEmpty)
  }

  @Test func notificationsAndAdvertisementsAreLostByRate() async {
    let fixture = Fixture()
    await fixture.connect()
    for operation in [FaultOperation.notification, .advertisement] {
      fixture.set(operation) { ($0.lose, $0.rate, $0.seed) = (true, 0.5, 5) }
    }
    for value in 0..<200 {
      fixture.inner.notify([UInt8(value)], Fixture.level, of: fixture.lamp)
      fixture.inner.advertise(fixture.lamp, AdvertisementData(localName: "Lamp"), rssi: -value)
    }
    let events = fixture.recorder.take()
    #expect((60...140).contains(events.count { $0.hasPrefix("notified") }))
    #expect((60...140).contains(events.count { $0.hasPrefix("advertisement") }))
  }

  @Test func delayedAdvertisementsKeepTheirOrderAndStopWithTheScan() async {
    let fixture = Fixture()
    fixture.set(.advertisement) { ($0.delay, $0.jitter) = (0.01, 0.03) }
    for rssi in 0..<5 { fixture.inner.advertise(fixture.lamp, AdvertisementData(), rssi: rssi) }
    #expect(await fixture.events(5) == (0..<5).map { "advertisement \($0)" })
    fixture.inner.advertise(fixture.lamp, AdvertisementData(), rssi: 9)
    fixture.radio.scan(nil)
    fixture.plan.clear()
    fixture.inner.advertise(fixture.lamp, AdvertisementData(), rssi: 10)
    #expect(fixture.recorder.take() == ["advertisement 10"])
  }

  @Test func whenTheRadioGoesOffWhatIsHeldBackGoesWithIt() async {
    let fixture = Fixture()
    await fixture.connect()
    fixture.set(.read) { $0.delay = 60 }
    fixture.set(.notification) { $0.delay = 60 }
    fixture.read()
    fixture.inner.notify([1], Fixture.level, of: fixture.lamp)
    fixture.inner.setState(.poweredOff)
    #expect(fixture.recorder.take() == ["read CB 7", "state poweredOff"])
    fixture.plan.clear()
    fixture.inner.setState(.poweredOn)
    fixture.inner.notify([2], Fixture.level, of: fixture.lamp)
    #expect(fixture.recorder.take() == ["state poweredOn", "notified [2]"])
  }
}
