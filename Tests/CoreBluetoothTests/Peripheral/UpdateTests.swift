import BridgeIO
import BridgeProtocol
import CoreBluetooth
import MockBackend
import TestSupport
import Testing

/// Subscriptions and updates.
@Suite struct UpdateTests {
  private let characteristic = CBMutableCharacteristic.make()

  @BridgeQueue
  private func published(_ options: VirtualHostedWorld.Options = .init()) async throws -> HostFixture {
    try await HostFixture.publishing([.make("FFF0", [characteristic])], options)
  }

  @BridgeQueue
  private func subscribed(
    _ fixture: HostFixture
  ) async throws -> (central: HostCentral, peer: CBCentral) {
    let central = try await fixture.central()
    try await central.subscribe("FFF1")
    return (central, try #require(try await fixture.recorder.next(.didSubscribe).central))
  }

  @Test @BridgeQueue func `PERI-40 subscribers are known before the app is told, and gone likewise`() async throws {
    let fixture = try await published()
    let central = try await fixture.central()
    try await central.subscribe("FFF1")
    let begin = try await fixture.recorder.next(.didSubscribe)
    #expect(begin.characteristic === characteristic && begin.subscribers.map { $0 === begin.central } == [true])
    try await central.subscribe("FFF1", false)
    let end = try await fixture.recorder.next(.didUnsubscribe)
    #expect(end.central === begin.central && end.subscribers.isEmpty)
    try await central.subscribe("FFF1")
    _ = try await fixture.recorder.next(.didSubscribe)
    try await central.disconnect()
    #expect(try await fixture.recorder.next(.didUnsubscribe).subscribers.isEmpty)
  }

  @Test @BridgeQueue func `PERI-41 an update goes to all that have subscribed, or to those of them named`() async throws
  {
    let fixture = try await published()
    let (one, first) = try await subscribed(fixture)
    let (other, second) = try await subscribed(fixture)
    let stranger = CBCentral(identifier: UUID(), maximumUpdateValueLength: 20)
    #expect(fixture.manager.updateValue(Data([1]), for: characteristic, onSubscribedCentrals: [second, stranger]))
    #expect(fixture.manager.updateValue(Data([2]), for: characteristic, onSubscribedCentrals: [stranger]))
    #expect(fixture.manager.updateValue(Data([3]), for: characteristic, onSubscribedCentrals: nil))
    #expect(try await one.value().value == [3])
    #expect(try await other.value().value == [1])
    #expect(try await other.value().value == [3])
    #expect(first !== second)
  }

  @Test @BridgeQueue func `PERI-41 a value longer than the central takes is cut`() async throws {
    var options = VirtualHostedWorld.Options()
    options.maximumMTU = 23
    let fixture = try await published(options)
    let (central, peer) = try await subscribed(fixture)
    #expect(peer.maximumUpdateValueLength == 20)
    #expect(fixture.manager.updateValue(Data(count: 600), for: characteristic, onSubscribedCentrals: nil))
    #expect(try await central.value().value.count == 20)
  }

  @Test @BridgeQueue func `PERI-42 without subscribers an update succeeds and goes nowhere`() async throws {
    let fixture = try await published()
    for _ in 0..<100 {
      #expect(fixture.manager.updateValue(Data([1]), for: characteristic, onSubscribedCentrals: nil))
    }
    #expect(try await fixture.eventsSoFar().isEmpty)
  }

  @Test @BridgeQueue func `PERI-43 a full queue refuses, tells once that there is room, and has sent nothing of it`()
    async throws
  {
    let fixture = try await published()
    let (central, _) = try await subscribed(fixture)
    // The queue of the service runs on this thread: nothing leaves meanwhile.
    var sent = 0
    while fixture.manager.updateValue(Data([UInt8(sent)]), for: characteristic, onSubscribedCentrals: nil) { sent += 1 }
    #expect(!fixture.manager.updateValue(Data([99]), for: characteristic, onSubscribedCentrals: nil))
    #expect(sent == 20)
    #expect(try await fixture.recorder.next().name == .isReady)
    #expect(fixture.manager.updateValue(Data([100]), for: characteristic, onSubscribedCentrals: nil))
    for number in 0..<20 { #expect(try await central.value().value == [UInt8(number)]) }
    #expect(try await central.value().value == [100])
    #expect(try await fixture.eventsSoFar().isEmpty)
  }

  @Test func `PERI-44 the queue's depth can be chosen`() {
    var window = UpdateWindow(depth: 3)
    let begun = (0..<4).map { _ in window.begin() != nil }
    let finished = (0..<3).map { _ in window.finish() }
    #expect(begun == [true, true, true, false] && finished == [false, true, false])
    #expect(PeripheralRules().updateQueueDepth == 20)
  }

  @Test @BridgeQueue func `PERI-45 updates come in order, indications too`() async throws {
    let indicated = CBMutableCharacteristic.make("FFF2", .indicate)
    let fixture = try await HostFixture.publishing([.make("FFF0", [indicated])])
    let central = try await fixture.central()
    try await central.subscribe("FFF2")
    #expect(try await central.descriptors("FFF2")["2902"] == .number(2))
    _ = try await fixture.recorder.next(.didSubscribe)
    for number in 0..<20 {
      #expect(fixture.manager.updateValue(Data([UInt8(number)]), for: indicated, onSubscribedCentrals: nil))
    }
    for number in 0..<20 { #expect(try await central.value().value == [UInt8(number)]) }
  }

  @Test @BridgeQueue func `PERI-45 each central gets updates in order, whoever else gets which`() async throws {
    let fixture = try await published()
    let (one, first) = try await subscribed(fixture)
    let (other, second) = try await subscribed(fixture)
    for number in 0..<18 {
      let meant = [nil, [first], [second]][number % 3]
      #expect(fixture.manager.updateValue(Data([UInt8(number)]), for: characteristic, onSubscribedCentrals: meant))
    }
    for number in 0..<18 where number % 3 != 2 { #expect(try await one.value().value == [UInt8(number)]) }
    for number in 0..<18 where number % 3 != 1 { #expect(try await other.value().value == [UInt8(number)]) }
  }

  @Test @BridgeQueue func `PERI-46 an update does not change what reads get`() async throws {
    let fixture = try await published()
    let (central, _) = try await subscribed(fixture)
    fixture.answerReads { _ in [1] }
    #expect(fixture.manager.updateValue(Data([9]), for: characteristic, onSubscribedCentrals: nil))
    #expect(try await central.value().value == [9])
    #expect(try await central.read("FFF1").value == [1])
    #expect(characteristic.value == nil)
  }
}
