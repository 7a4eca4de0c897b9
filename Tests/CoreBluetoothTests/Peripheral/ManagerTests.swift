import BridgeIO
import BridgeProtocol
import CoreBluetooth
import MockBackend
import TestSupport
import Testing

/// The manager itself: its state, its queue, its end, and what it keeps for a return.
@Suite struct ManagerTests {
  @Test @BridgeQueue func `STATE-1 the state is unknown at first, and told in any case`() async throws {
    let fixture = try HostFixture(state: .poweredOff)
    #expect(fixture.manager.state == .unknown)
    #expect(try await fixture.recorder.next(.didUpdateState).state == .poweredOff)
    fixture.radio.setState(.poweredOn)
    #expect(try await fixture.recorder.next(.didUpdateState).state == .poweredOn)
  }

  @Test @BridgeQueue func `STATE-3 what is asked for while off is dropped`() async throws {
    let characteristic = CBMutableCharacteristic.make()
    let service = CBMutableService.make("FFF0", [characteristic])
    let fixture = try HostFixture(state: .poweredOff)
    _ = try await fixture.recorder.next(.didUpdateState)
    let manager = try #require(fixture.manager)
    manager.add(service)
    manager.startAdvertising(nil)
    manager.stopAdvertising()
    manager.remove(service)
    manager.removeAllServices()
    manager.publishL2CAPChannel(withEncryption: false)
    manager.unpublishL2CAPChannel(192)
    #expect(!manager.updateValue(Data(), for: characteristic, onSubscribedCentrals: nil))
    #expect(!manager.isAdvertising)
    fixture.radio.setState(.poweredOn)
    #expect(try await fixture.recorder.next().name == .didUpdateState)
    #expect(try await fixture.eventsSoFar().isEmpty)
  }

  @Test @BridgeQueue func `a service that hosts nothing is not supported`() async throws {
    let fixture = try HostFixture()
    let server = try ServiceWithoutHosting()
    let recorder = HostRecorder()
    let manager = CBPeripheralManager(
      delegate: recorder, queue: fixture.queue, endpoint: .socket(at: server.path), timing: HostFixture.timing)
    #expect(try await recorder.next().state == .unsupported)
    withExtendedLifetime(manager) {}
  }

  @Test @BridgeQueue func `STATE-8 a lost service resets, and is found again`() async throws {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make()])])
    await fixture.stopServer()
    #expect(try await fixture.recorder.next(.didUpdateState).state == .resetting)
    #expect(!fixture.manager.isAdvertising)
    #expect(try await fixture.recorder.next(.didUpdateState).state == .poweredOff)
    fixture.manager.startAdvertising(nil)
    #expect(!fixture.manager.isAdvertising)
    try fixture.restartServer()
    #expect(try await fixture.recorder.next(.didUpdateState).state == .poweredOn)
    // What was published went with the service; the app does it again.
    try await fixture.add(.make("FFF0", [.make("FFF1", .read, value: [1], .readable)]))
    try await fixture.advertise()
    let central = try await fixture.central()
    #expect(central.services.count == 1)
    #expect(try await central.read("FFF1").value == [1])
  }

  @Test @BridgeQueue func `STATE-8 a lost service ends subscriptions and channels`() async throws {
    let characteristic = CBMutableCharacteristic.make()
    let fixture = try await HostFixture.publishing([.make("FFF0", [characteristic])])
    fixture.manager.publishL2CAPChannel(withEncryption: false)
    let psm = try await fixture.recorder.next(.didPublishChannel).psm
    let central = try await fixture.central()
    try await central.subscribe("FFF1")
    central.client.send(.openL2CAP(OpenL2CAP(id: central.id, psm: psm)))
    let channel = try #require(try await fixture.recorder.next(.didOpenChannel).channel)
    channel.inputStream.open()
    await fixture.stopServer()
    while try await fixture.recorder.next(.didUpdateState).state != .poweredOff {}
    #expect(characteristic.subscribedCentrals ?? [] == [])
    #expect([.error, .atEnd].contains(channel.inputStream.streamStatus))
    #expect(!fixture.manager.updateValue(Data([1]), for: characteristic, onSubscribedCentrals: nil))
  }

  @Test @BridgeQueue func `STATE-11 managers are independent, and one device can have several`() async throws {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make()])])
    let recorder = HostRecorder()
    let other = fixture.makeManager(nil, recorder)
    #expect(try await recorder.next().state == .poweredOn)
    other.startAdvertising([CBAdvertisementDataLocalNameKey: "Other"])
    _ = try await recorder.next(.didStartAdvertising)
    let client = try await fixture.client()
    client.send(.scan(Scan()))
    var found: [String: PeripheralIdentifier] = [:]
    while found.count < 2 {
      guard case .didDiscover(let report) = try await client.next("didDiscover") else { throw NothingHappened() }
      found[report.name] = report.id
    }
    #expect(Set(found.keys) == ["Host", "Other"] && found["Host"] != found["Other"])
  }

  @Test @BridgeQueue func `QUEUE-1 callbacks come on the app's queue`() async throws {
    let fixture = try HostFixture()
    #expect(try await fixture.recorder.next().isOnQueue)
    fixture.manager.add(.make())
    #expect(try await fixture.recorder.next().isOnQueue)
  }

  @Test @BridgeQueue func `QUEUE-2 no callback comes inside the call that causes it`() async throws {
    let fixture = try await HostFixture.on()
    let service = CBMutableService.make()
    try await fixture.add(service)
    let order = Lock<[String]>([])
    fixture.recorder.onEvent { _, _ in order.withLock { $0.append("event") } }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      nonisolated(unsafe) let (manager, service) = (fixture.manager!, service)
      fixture.queue.async {
        manager.add(service)
        order.withLock { $0.append("returned") }
        continuation.resume()
      }
    }
    _ = try await fixture.recorder.next(.didAdd)
    #expect(order.withLock { $0 } == ["returned", "event"])
  }

  @Test @BridgeQueue func `QUEUE-7 the delegate is not kept, and the next callback goes to the present one`()
    async throws
  {
    let fixture = try await HostFixture.on()
    let other = HostRecorder()
    fixture.manager.delegate = other
    fixture.manager.add(.make())
    #expect(try await other.next().name == .didAdd)
    do {
      let short = HostRecorder()
      fixture.manager.delegate = short
    }
    #expect(fixture.manager.delegate == nil)
  }

  @Test @BridgeQueue func `QUEUE-8 a manager that nobody keeps is gone for centrals`() async throws {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make()])])
    let central = try await fixture.central()
    fixture.releaseManager()
    guard case .didDisconnect(let end) = try await central.client.next("didDisconnect") else { throw NothingHappened() }
    #expect(end.error?.code == 7)
  }

  @Test @BridgeQueue func `STATE-12 REST-3 what was published is restored before the state is told`() async throws {
    let options = [CBPeripheralManagerOptionRestoreIdentifierKey: "host"]
    let fixture = try HostFixture(managerOptions: options)
    _ = try await fixture.recorder.next(.didUpdateState)
    let characteristic = CBMutableCharacteristic.make()
    characteristic.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "text")]
    try await fixture.add(.make("FFF0", [characteristic, .make("FFF2", .read, value: [5], .readable)]))
    try await fixture.advertise([
      CBAdvertisementDataLocalNameKey: "Host", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FFF0")],
    ])
    let central = try await fixture.central()
    await fixture.crash()
    _ = try await central.client.next("didDisconnect")

    let recorder = HostRecorder()
    let manager = fixture.makeManager(options, recorder)
    let event = try await recorder.next()
    #expect(event.name == .willRestoreState && event.state == .unknown)
    let services = try #require(
      event.dictionary[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService])
    let restored = try #require(services.first?.characteristics?.first as? CBMutableCharacteristic)
    #expect(restored.uuid.uuidString == "FFF1" && restored.permissions == characteristic.permissions)
    #expect(restored.properties == characteristic.properties && restored.subscribedCentrals?.isEmpty == true)
    #expect(restored.descriptors?.first?.value as? String == "text")
    let data = try #require(
      event.dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any])
    #expect(data[CBAdvertisementDataLocalNameKey] as? String == "Host")
    #expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "FFF0")])
    let state = try await recorder.next()
    #expect(state.name == .didUpdateState && state.state == .poweredOn && state.isAdvertising)

    // Published and advertised already, under the old identifier.
    let again = try await fixture.central()
    #expect(again.id == central.id)
    #expect(try await again.read("FFF2").value == [5])
    try again.startRead("FFF1")
    let read = try await recorder.next(.didReceiveRead)
    #expect(read.characteristic === restored)
    read.requests[0].value = Data([6])
    manager.respond(to: read.requests[0], withResult: .success)
    #expect(try await again.value().value == [6])
    manager.remove(services[0])
    _ = try await again.client.next("didModifyServices")
  }

  @Test @BridgeQueue func `REST-3 what was restored had another identifier where the manager came from another device`()
    async throws
  {
    let options = [CBPeripheralManagerOptionRestoreIdentifierKey: "host"]
    let fixture = try HostFixture(managerOptions: options)
    _ = try await fixture.recorder.next(.didUpdateState)
    try await fixture.advertise()
    let id = try await fixture.find(try await fixture.client()).id
    await fixture.crash()
    let recorder = HostRecorder()
    let manager = fixture.makeManager(options, recorder, device: "a second host")
    let event = try await recorder.next()
    #expect(event.name == .willRestoreState)
    let report = try await fixture.find(try await fixture.client())
    #expect(report.id == id && report.name == "Host")
    withExtendedLifetime(manager) {}
  }

  @Test @BridgeQueue func `REST-4 without an identifier, or with nothing to restore, nothing is restored`() async throws
  {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make()])])
    await fixture.crash()
    let recorder = HostRecorder()
    let manager = fixture.makeManager(nil, recorder)
    #expect(try await recorder.next().name == .didUpdateState)
    let other = HostRecorder()
    let fresh = fixture.makeManager([CBPeripheralManagerOptionRestoreIdentifierKey: "other"], other)
    #expect(try await other.next().name == .didUpdateState)
    withExtendedLifetime((manager, fresh)) {}
  }

  @Test @BridgeQueue func `the deprecated authorization says what the new one does`() async throws {
    let fixture = try await HostFixture.on()
    #expect(fixture.manager.authorization == .allowedAlways && CBPeripheralManager.authorization == .allowedAlways)
  }
}

/// A service without a world for hosting.
@BridgeQueue
private final class ServiceWithoutHosting {
  let path: String
  private let fixture: HostFixture.Plain

  init() throws {
    fixture = try HostFixture.Plain()
    path = fixture.path
  }
}
