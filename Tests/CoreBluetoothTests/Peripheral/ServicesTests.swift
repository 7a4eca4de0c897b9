import BridgeIO
import BridgeProtocol
import CoreBluetooth
import MockBackend
import TestSupport
import Testing

/// Publishing services.
@Suite struct ServicesTests {
  @Test @BridgeQueue func `PERI-1 an added service can be reached, added before or after the start of advertising`()
    async throws
  {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make()])])
    let central = try await fixture.central()
    #expect(central.services.map(\.uuid.text) == ["FFF0"])
    try await fixture.add(.make("FFE0"))
    _ = try await central.client.next("didModifyServices")
    try await central.discover()
    #expect(central.services.map(\.uuid.text) == ["FFF0", "FFE0"])
  }

  @Test @BridgeQueue func `PERI-2 an included service has to be added before`() async throws {
    let fixture = try await HostFixture.on()
    let battery = CBMutableService.make("180F")
    let main = CBMutableService.make()
    main.includedServices = [battery]
    fixture.manager.add(main)
    #expect(try await fixture.recorder.next(.didAdd).error is CBError)
    try await fixture.add(battery)
    try await fixture.add(main)
    try await fixture.advertise()
    let central = try await fixture.central()
    let including = try #require(central.services.first { $0.uuid.text == "FFF0" })
    central.client.send(
      .discoverIncludedServices(DiscoverIncludedServices(id: central.id, serviceId: including.id)))
    guard case .didDiscoverIncludedServices(let found) = try await central.client.next("didDiscoverIncludedServices")
    else { throw NothingHappened() }
    #expect(found.includedServices.map(\.uuid.text) == ["180F"])
  }

  @Test @BridgeQueue func `PERI-3 what is published does not change with the app's objects`() async throws {
    let characteristic = CBMutableCharacteristic.make("FFF1", .read, value: [1], .readable)
    let service = CBMutableService.make("FFF0", [characteristic])
    let fixture = try await HostFixture.publishing([service])
    characteristic.value = Data([2])
    characteristic.properties = [.read, .notify]
    service.characteristics = []
    let central = try await fixture.central()
    #expect(central.properties["FFF1"] == .read)
    #expect(try await central.read("FFF1").value == [1])
    fixture.manager.remove(service)
    _ = try await central.client.next("didModifyServices")
    service.characteristics = [CBMutableCharacteristic.make("FFF2", .read, value: [3], .readable)]
    try await fixture.add(service)
    _ = try await central.client.next("didModifyServices")
    try await central.discover()
    #expect(try await central.read("FFF2").value == [3])
  }

  @Test @BridgeQueue func `PERI-4 a fixed value is read without the app`() async throws {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make("FFF1", .read, value: [1, 2], .readable)])])
    let central = try await fixture.central()
    #expect(try await central.read("FFF1").value == [1, 2])
    #expect(try await fixture.eventsSoFar().isEmpty)
  }

  @Test @BridgeQueue func `PERI-5 without a value each read asks the app`() async throws {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make()])])
    fixture.answerReads { [UInt8($0)] }
    let central = try await fixture.central()
    #expect(try await central.read("FFF1").value == [1])
    #expect(try await central.read("FFF1").value == [2])
  }

  @Test @BridgeQueue func `PERI-6 descriptions and formats are published, and the system adds its own`() async throws {
    let characteristic = CBMutableCharacteristic.make()
    characteristic.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Küche"),
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data([4, 0, 0, 0, 1, 0, 0])),
    ]
    let fixture = try await HostFixture.publishing([.make("FFF0", [characteristic])])
    let values = try await fixture.central().descriptors("FFF1")
    #expect(values["2901"] == .text("Küche") && values["2904"] == .bytes([4, 0, 0, 0, 1, 0, 0]))
    #expect(values["2902"] == .number(0) && values.count == 3)
  }

  @Test @BridgeQueue func `PERI-6 other descriptors cannot be added`() async throws {
    let fixture = try await HostFixture.on()
    for uuid in ["2902", "2900", "FFFA"] {
      let characteristic = CBMutableCharacteristic.make()
      characteristic.descriptors = [CBMutableDescriptor(type: CBUUID(string: uuid), value: Data([0, 0]))]
      fixture.manager.add(.make("FFF0", [characteristic]))
      let event = try await fixture.recorder.next(.didAdd)
      #expect((event.error as? CBError)?.code == .uuidNotAllowed)
    }
  }

  @Test @BridgeQueue func `PERI-7 reserved services are refused where that is wanted, under their short UUIDs`()
    async throws
  {
    var published = PublishedServices()
    var rules = PeripheralRules()
    rules.refusesReservedServices = true
    for uuid in ["1800", "1801", "1805", "180A", "180F", "1812", "181E"] {
      #expect(throws: PublishedServices.Problem.reserved) { _ = try published.add(.make(uuid), rules: rules) }
    }
    _ = try published.add(.make("0000180F-0000-1000-8000-00805F9B34FB"), rules: rules)
    let fixture = try await HostFixture.on()
    try await fixture.add(.make("180F"))
  }

  @Test @BridgeQueue func `PERI-8 a service is added once`() async throws {
    let service = CBMutableService.make("FFF0", [.make()])
    let fixture = try await HostFixture.publishing([service])
    fixture.manager.add(service)
    let event = try await fixture.recorder.next(.didAdd)
    #expect(event.error != nil && event.service === service)
    #expect(try await fixture.central().services.count == 1)
  }

  @Test @BridgeQueue func `PERI-9 removing has no callback and drops subscribers`() async throws {
    let characteristic = CBMutableCharacteristic.make()
    let fixture = try await HostFixture.publishing([.make("FFF0", [characteristic]), .make("FFE0", [.make("FFE1")])])
    let central = try await fixture.central()
    try await central.subscribe("FFF1")
    _ = try await fixture.recorder.next(.didSubscribe)
    let service = try #require(characteristic.service as? CBMutableService)
    fixture.manager.remove(service)
    #expect(characteristic.subscribedCentrals?.isEmpty == true)
    _ = try await central.client.next("didModifyServices")
    fixture.manager.removeAllServices()
    _ = try await central.client.next("didModifyServices")
    try await central.discover()
    #expect(central.services.isEmpty)
    #expect(try await fixture.eventsSoFar().isEmpty)
    #expect(!fixture.manager.updateValue(Data([1]), for: characteristic, onSubscribedCentrals: nil))
  }

  @Test @BridgeQueue func `PERI-37 what properties, permissions and lengths forbid is refused without the app`()
    async throws
  {
    let fixture = try await HostFixture.publishing([
      .make(
        "FFF0",
        [.make("FFF1", .write, .writeable), .make("FFF2", .read, .readable), .make("FFF3", [.read, .write], [])])
    ])
    let central = try await fixture.central()
    #expect(try await central.read("FFF1").error?.code == 2)
    #expect(try await central.write([1], "FFF2").error?.code == 3)
    #expect(try await central.read("FFF3").error?.code == 2)
    #expect(try await central.write([1], "FFF3").error?.code == 3)
    #expect(try await central.write([UInt8](repeating: 0, count: 513), "FFF1").error?.code == 13)
    #expect(try await central.subscribe("FFF2").error?.code == 6)
    #expect(try await fixture.eventsSoFar().isEmpty)
  }

  @Test @BridgeQueue func `PAIR-7 unencrypted centrals are refused, and paired ones let through`() async throws {
    let services: [CBMutableService] = [
      .make(
        "FFF0",
        [
          .make("FFF1", .read, .readEncryptionRequired), .make("FFF2", .write, .writeEncryptionRequired),
          .make("FFF3", .notifyEncryptionRequired, []),
        ])
    ]
    var options = VirtualHostedWorld.Options()
    options.pairing.mode = .none
    let fixture = try await HostFixture.publishing(services, options)
    let central = try await fixture.central()
    for code in [
      try await central.read("FFF1").error?.code, try await central.write([1], "FFF2").error?.code,
      try await central.subscribe("FFF3").error?.code,
    ] { #expect(code == 5 || code == 15) }
    #expect(try await fixture.eventsSoFar().isEmpty)

    let paired = try await HostFixture.publishing([.make("FFF0", [.make("FFF1", .read, .readEncryptionRequired)])])
    paired.answerReads { _ in [7] }
    #expect(try await paired.central().read("FFF1").value == [7])
  }
}
