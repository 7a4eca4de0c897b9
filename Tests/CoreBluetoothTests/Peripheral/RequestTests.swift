import BridgeIO
import BridgeProtocol
import CoreBluetooth
import MockBackend
import TestSupport
import Testing

/// Reads and writes of centrals, and the app's answers.
@Suite struct RequestTests {
  private let characteristic = CBMutableCharacteristic.make()

  @BridgeQueue
  private func published(_ options: VirtualHostedWorld.Options = .init()) async throws -> (HostFixture, HostCentral) {
    let fixture = try await HostFixture.publishing([.make("FFF0", [characteristic])], options)
    return (fixture, try await fixture.central())
  }

  @Test @BridgeQueue func `PERI-30 a connection alone tells the app nothing`() async throws {
    let (fixture, central) = try await published()
    #expect(try await fixture.eventsSoFar().isEmpty)
    try await central.disconnect()
    #expect(try await fixture.eventsSoFar().isEmpty)
  }

  @Test @BridgeQueue func `PERI-31 a read has no value and an offset, and is answered with the bytes from there`()
    async throws
  {
    let (fixture, central) = try await published()
    try central.startRead("FFF1")
    let event = try await fixture.recorder.next(.didReceiveRead)
    let request = try #require(event.requests.first)
    #expect(request.value == nil && request.offset == 0)
    request.value = Data([1, 2])
    fixture.manager.respond(to: request, withResult: .success)
    #expect(try await central.value().value == [1, 2])
    try central.startRead("FFF1")
    let second = try await fixture.recorder.next(.didReceiveRead)
    fixture.manager.respond(to: second.requests[0], withResult: .invalidOffset)
    #expect(try await central.value().error?.code == 7)
  }

  @Test @BridgeQueue func `PERI-32 a long value is read in pieces, with growing offset`() async throws {
    var options = VirtualHostedWorld.Options()
    options.maximumMTU = 23
    let (fixture, central) = try await published(options)
    let value = (0..<50).map { UInt8($0) }
    let offsets = Lock<[Int]>([])
    fixture.recorder.onEvent { manager, event in
      guard let request = event.requests.first else { return }
      offsets.withLock { $0.append(request.offset) }
      request.value = Data(value[request.offset...])
      manager.respond(to: request, withResult: .success)
    }
    #expect(try await central.read("FFF1").value == value)
    #expect(offsets.withLock { $0 } == [0, 22, 44])
  }

  @Test @BridgeQueue func `PERI-33 a batch of writes is answered once, for its first`() async throws {
    let (fixture, central) = try await published()
    try central.startWrite([1, 2], "FFF1")
    let event = try await fixture.recorder.next(.didReceiveWrite)
    #expect(event.requests.count == 1 && event.requests[0].value == Data([1, 2]))
    fixture.manager.respond(to: event.requests[0], withResult: .invalidAttributeValueLength)
    #expect(try await central.written().error?.code == 13)
  }

  @Test func `PERI-33 all writes of a batch share one answer`() {
    let ticket = RequestTicket(1, .write)
    #expect(ticket.use())
    #expect(!ticket.use())
  }

  @Test @BridgeQueue func `PERI-34 a second answer is ignored`() async throws {
    let (fixture, central) = try await published()
    try central.startRead("FFF1")
    let request = try await fixture.recorder.next(.didReceiveRead).requests[0]
    request.value = Data([1])
    fixture.manager.respond(to: request, withResult: .success)
    fixture.manager.respond(to: request, withResult: .unlikelyError)
    #expect(try await central.value().value == [1])
    try central.startRead("FFF1")
    let next = try await fixture.recorder.next(.didReceiveRead).requests[0]
    next.value = Data([2])
    fixture.manager.respond(to: request, withResult: .unlikelyError)
    fixture.manager.respond(to: next, withResult: .success)
    #expect(try await central.value().value == [2])
  }

  @Test @BridgeQueue func `PERI-34 without an answer the central loses the link`() async throws {
    var options = VirtualHostedWorld.Options()
    options.radio.transactionTimeout = .milliseconds(20)
    let (_, central) = try await published(options)
    try central.startWrite([1], "FFF1")
    _ = try await central.client.next("didDisconnect")
  }

  @Test @BridgeQueue func `PERI-35 a write without response reaches the app, and an answer to it is harmless`()
    async throws
  {
    let (fixture, central) = try await published()
    try central.startWrite([1], "FFF1", withResponse: false)
    try central.startWrite([2], "FFF1", withResponse: false)
    let first = try await fixture.recorder.next(.didReceiveWrite)
    fixture.manager.respond(to: first.requests[0], withResult: .success)
    // Not answered at all.
    let second = try await fixture.recorder.next(.didReceiveWrite)
    #expect(first.requests[0].value == Data([1]) && second.requests[0].value == Data([2]))
    try central.startWrite([3], "FFF1")
    let third = try await fixture.recorder.next(.didReceiveWrite)
    fixture.manager.respond(to: third.requests[0], withResult: .success)
    #expect(try await central.written().error == nil)
  }

  @Test @BridgeQueue func `PERI-36 a long write comes whole`() async throws {
    var options = VirtualHostedWorld.Options()
    options.maximumMTU = 23
    let (fixture, central) = try await published(options)
    let value = [UInt8](repeating: 7, count: 500)
    try central.startWrite(value, "FFF1")
    let event = try await fixture.recorder.next(.didReceiveWrite)
    #expect(event.requests.map(\.offset) == [0] && event.requests[0].value == Data(value))
    fixture.manager.respond(to: event.requests[0], withResult: .success)
    #expect(try await central.written().error == nil)
  }

  @Test @BridgeQueue func `PERI-38 requests have the characteristic that was added`() async throws {
    let (fixture, central) = try await published()
    try central.startRead("FFF1")
    let event = try await fixture.recorder.next(.didReceiveRead)
    #expect(event.characteristic === characteristic)
  }

  @Test(arguments: [1, 14, 0x80, 0xFF]) @BridgeQueue
  func `PERI-39 the number of a result goes to the central as it is`(code: Int) async throws {
    let (fixture, central) = try await published()
    try central.startRead("FFF1")
    let request = try await fixture.recorder.next(.didReceiveRead).requests[0]
    fixture.manager.respond(to: request, withResult: try #require(CBATTError.Code(rawValue: code)))
    let error = try await central.value().error
    #expect(error?.domain == .attribute && error?.code == code)
  }

  @Test @BridgeQueue func `PERI-39 success of a read needs a value`() async throws {
    let (fixture, central) = try await published()
    try central.startRead("FFF1")
    fixture.manager.respond(to: try await fixture.recorder.next(.didReceiveRead).requests[0], withResult: .success)
    #expect(try await central.value().error?.code == 14)
  }

  @Test @BridgeQueue func `PERI-47 a central has a stable identifier, another than as a peripheral, and a length`()
    async throws
  {
    var options = VirtualHostedWorld.Options()
    options.maximumMTU = 100
    let (fixture, central) = try await published(options)
    fixture.answerReads { _ in [1] }
    _ = try await central.read("FFF1")
    let first = try #require(try await fixture.recorder.next(.didReceiveRead).central)
    #expect(first.maximumUpdateValueLength == 97)
    try await central.disconnect()
    central.client.send(.connect(Connect(id: central.id)))
    _ = try await central.client.next("didConnect")
    try await central.discover()
    _ = try await central.read("FFF1")
    let second = try #require(try await fixture.recorder.next(.didReceiveRead).central)
    #expect(second === first)
    #expect(first.identifier.uuidString != central.id.text)
  }

  @Test @BridgeQueue func `PERI-48 a wish for latency has no callback`() async throws {
    let (fixture, central) = try await published()
    fixture.answerReads { _ in [1] }
    _ = try await central.read("FFF1")
    let peer = try #require(try await fixture.recorder.next(.didReceiveRead).central)
    fixture.manager.setDesiredConnectionLatency(.low, for: peer)
    #expect(try await fixture.eventsSoFar().isEmpty)
    #expect(try await central.read("FFF1").value == [1])
  }

  @Test @BridgeQueue func `PERI-49 at power off requests are void and subscribers gone`() async throws {
    let (fixture, central) = try await published()
    try await central.subscribe("FFF1")
    _ = try await fixture.recorder.next(.didSubscribe)
    try central.startRead("FFF1")
    let request = try await fixture.recorder.next(.didReceiveRead).requests[0]
    fixture.radio.setState(.poweredOff)
    let end = try await fixture.recorder.next(.didUnsubscribe)
    #expect(end.characteristic === characteristic && end.subscribers.isEmpty)
    fixture.radio.setState(.poweredOn)
    _ = try await fixture.recorder.next(.didUpdateState)
    request.value = Data([1])
    fixture.manager.respond(to: request, withResult: .success)
    #expect(try await fixture.central().services.count == 1)
  }

  @Test @BridgeQueue func `a delegate without the methods refuses, and nobody waits`() async throws {
    final class Silent: NSObject, CBPeripheralManagerDelegate {
      func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    }
    let (fixture, central) = try await published()
    let silent = Silent()
    fixture.manager.delegate = silent
    #expect(try await central.read("FFF1").error?.code == 6)
    #expect(try await central.write([1], "FFF1").error?.code == 6)
    fixture.manager.delegate = nil
    #expect(try await central.read("FFF1").error?.code == 14)
    withExtendedLifetime(silent) {}
  }
}
