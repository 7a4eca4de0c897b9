import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import TestSupport
import Testing

/// What a link to a virtual device does, by the rules that apps know from hardware.
@Suite @BridgeQueue struct VirtualLinkTests {
  private func world(_ device: MockDevice = .bench(), configure: (inout VirtualRadioOptions) -> Void = { _ in }) async
    -> VirtualWorld
  {
    let world = VirtualWorld(device, configure: configure)
    await world.connect(device.id)
    return world
  }

  // MARK: Discovery

  @Test("DISC-5: attributes are listed in handle order, numbered as servers do")
  func handles() async throws {
    let world = await world()
    let database = try await world.discover(.bench).get()
    let service = try #require(database.services.first)
    #expect(service.handle == 10 && service.isPrimary && database.services.count == 1)
    #expect(service.characteristics.map(\.handle) == [11, 16, 18, 20, 23, 25])
    #expect(service.characteristics[0].descriptors.map(\.handle) == [13, 14, 15])
    #expect(service.characteristics[0].descriptors.map(\.uuid.text).prefix(2) == ["2902", "2901"])
  }

  @Test("DISC-7: a characteristic that notifies or indicates has a 2902, listed or not")
  func configurationDescriptors() async throws {
    let world = await world()
    let service = try #require(try await world.discover(.bench).get().services.first)
    #expect(service.characteristics[3].descriptors.map(\.uuid.text) == ["2902"])
    #expect(try await world.read(Bench.alarmConfiguration, .bench).get() == [0, 0])
  }

  @Test("DISC-13: Generic Access and Generic Attribute are not listed")
  func genericServices() async throws {
    let gadget = try #require(MockConfiguration.stock(named: "Device Information")).devices[0]
    let world = await world(gadget)
    #expect(try await world.discover(gadget.id).get().services.map(\.uuid.text) == ["180A"])
  }

  @Test("DISC-8: included services carry their handle, secondary ones too")
  func includedServices() async throws {
    let inner = MockIdentifier(derivedFrom: "inner")
    let device = MockDevice.bench {
      $0.services[0].includedServices = [inner]
      $0.services.append(MockService(id: inner, uuid: BluetoothUUID(short: 0xFF30), isPrimary: false))
    }
    let services = try await world(device).discover(.bench).get().services
    #expect(services[0].includedServices == [services[1].handle])
    #expect(services[0].characteristics[0].handle == 12)
    #expect(!services[1].isPrimary)
  }

  // MARK: Reading and writing

  @Test("CONN-23: nothing works without a connection")
  func notConnected() async {
    let world = VirtualWorld(.bench())
    #expect(await world.read(Bench.level, .bench) == .failure(.notConnected))
    #expect(await world.write([1], Bench.control, .bench) == .notConnected)
    #expect(await world.command([1], Bench.stream, .bench) == .notConnected)
    #expect(await world.setNotify(true, Bench.level, .bench) == .notConnected)
    #expect(await world.discover(.bench).error == .notConnected)
    let rssi: Result<Int, BluetoothError> = await result { world.radio.readRSSI(of: .bench, completion: $0) }
    #expect(rssi == .failure(.notConnected))
    #expect(!world.radio.canSendWriteWithoutResponse(to: .bench))
    #expect(world.radio.maximumWriteLength(of: .bench) == 20)
  }

  @Test("GATT-1, GATT-6: a value is read and written")
  func readAndWrite() async {
    let world = await world()
    #expect(await world.read(Bench.level, .bench) == .success([87]))
    #expect(await world.write([4, 5], Bench.control, .bench) == nil)
    #expect(await world.read(Bench.control, .bench) == .success([4, 5]))
  }

  @Test("GATT-4: reading what has no read property gives ATT 2")
  func readNotPermitted() async {
    let world = await world()
    #expect(await world.read(Bench.stream, .bench) == .failure(.attribute(0x02)))
    #expect(await world.read(Bench.alarm, .bench) == .failure(.attribute(0x02)))
  }

  @Test("GATT-6, GATT-7: writing what has no write property gives ATT 3, without response it is dropped")
  func writeNotPermitted() async {
    let world = await world()
    #expect(await world.write([1], Bench.level, .bench) == .attribute(0x03))
    #expect(await world.write([1], Bench.stream, .bench) == .attribute(0x03))
    #expect(await world.command([1], Bench.level, .bench) == .attribute(0x03))
    #expect(await world.read(Bench.level, .bench) == .success([87]))
  }

  @Test("DISC-10: a handle that names nothing gives ATT 1")
  func unknownHandle() async {
    let world = await world()
    for handle: AttributeHandle in [0, 10, 12, 27, 0xFFFF] {
      #expect(await world.read(handle, .bench) == .failure(.attribute(0x01)))
      #expect(await world.write([], handle, .bench) == .attribute(0x01))
      #expect(await world.setNotify(true, handle, .bench) == .attribute(0x01))
    }
  }

  @Test("GATT-10: a write past 512 bytes, or past what the device takes, gives ATT 13")
  func writeTooLong() async {
    let device = MockDevice.bench { $0.services[0].characteristics[1].maximumLength = 8 }
    let world = await world(device)
    #expect(await world.write([UInt8](repeating: 1, count: 8), Bench.control, .bench) == nil)
    #expect(await world.write([UInt8](repeating: 1, count: 9), Bench.control, .bench) == .attribute(0x0D))
    #expect(await world.command([UInt8](repeating: 1, count: 513), Bench.stream, .bench) == .attribute(0x0D))
  }

  @Test("GATT-2, GATT-10: long values are read and written whole, whatever the MTU", arguments: [23, 24, 185, 517])
  func longValues(mtu: Int) async {
    let device = MockDevice.bench { $0.mtu = mtu }
    let world = await world(device)
    for count in [0, 1, mtu - 4, mtu - 3, mtu - 2, mtu - 1, mtu, 2 * mtu - 2, 511, 512] where count <= 512 {
      let value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      #expect(await world.write(value, Bench.control, .bench) == nil)
      #expect(await world.read(Bench.control, .bench) == .success(value))
    }
  }

  @Test("MTU-1: a write without response carries MTU - 3; a longer one is written long where that is allowed")
  func commandLength() async {
    let world = await world(.bench { $0.mtu = 50 })
    #expect(world.radio.maximumWriteLength(of: .bench) == 47)
    #expect(await world.command([UInt8](repeating: 1, count: 47), Bench.stream, .bench) == nil)
    #expect(await world.command([UInt8](repeating: 1, count: 48), Bench.stream, .bench) == .attribute(0x0D))
    #expect(await world.command([UInt8](repeating: 1, count: 48), Bench.control, .bench) == nil)
  }

  @Test("DESC-4: a custom descriptor can be written, those of the specification cannot")
  func descriptors() async {
    let world = await world()
    #expect(await world.read(Bench.levelDescription, .bench) == .success(Array("Level".utf8)))
    #expect(await world.write([1], Bench.levelDescription, .bench) == .attribute(0x03))
    #expect(await world.write([8, 9], Bench.levelCustom, .bench) == nil)
    #expect(await world.read(Bench.levelCustom, .bench) == .success([8, 9]))
  }

  @Test func writtenValuesLastAsLongAsTheDeviceSays() async {
    let device = MockDevice.bench {
      $0.services[0].characteristics[1].valueLifetime = .untilDisconnect
      $0.services[0].characteristics[4].valueLifetime = .none
    }
    let world = await world(device, configure: { $0.compatibility = .impossible })
    #expect(await world.write([5], Bench.control, .bench) == nil)
    #expect(await world.write([6], Bench.levelCustom, .bench) == nil)
    #expect(await world.read(Bench.control, .bench) == .success([5]))
    world.radio.disconnect(.bench)
    await world.connect(.bench)
    #expect(await world.read(Bench.control, .bench) == .success([1, 2, 3]))
    #expect(await world.read(Bench.levelCustom, .bench) == .success([6]))
    await withCheckedContinuation { continuation in world.radio.stop { continuation.resume() } }
    await world.connect(.bench)
    #expect(await world.read(Bench.levelCustom, .bench) == .success([7]))
  }

  // MARK: Order

  @Test("QUEUE-5, GATT-11: answers come in the order of the requests, and never inside them")
  func order() async {
    let world = await world()
    let radio = world.radio
    radio.read(Bench.level, of: .bench) { _ in world.mark("read") }
    radio.write([1], to: Bench.control, of: .bench) { _ in world.mark("write") }
    radio.writeWithoutResponse([2], to: Bench.control, of: .bench) { _ in world.mark("command") }
    radio.read(Bench.control, of: .bench) { world.mark("read \((try? $0.get()) ?? [])") }
    radio.setNotify(true, characteristic: Bench.level, of: .bench) { _ in world.mark("subscribed") }
    #expect(world.events.isEmpty)
    await turns()
    #expect(
      world.takeEvents() == [
        .mark("read"), .mark("write"), .mark("command"), .mark("read [2]"), .mark("subscribed"),
      ])
  }

  @Test("CONN-8, CONN-14: what is pending when the link ends fails before the end is told")
  func pendingRequestsFail() async {
    let slow = SlowPeripheral()
    let world = VirtualWorld(MockConfiguration(name: "None"))
    world.radio.add(slow)
    await world.connect(slow.id)
    let radio = world.radio
    radio.read(11, of: slow.id) { world.mark("\($0.error?.code ?? 0)") }
    radio.write([1], to: 11, of: slow.id) { world.mark("\($0.error?.code ?? 0)") }
    await turns()
    #expect(world.events.isEmpty)
    radio.dropLink(of: slow.id)
    await turns()
    #expect(
      world.takeEvents() == [
        .mark("7"), .mark("7"), .link(false, slow.id), .disconnected(slow.id, .peripheralDisconnected),
      ])
    // The answer that comes now is nobody's.
    slow.answerAll()
    await turns()
    #expect(world.takeEvents().isEmpty)
  }

  @Test("GATT-14: a request that is not answered in time ends the link")
  func transactionTimeout() async {
    let slow = SlowPeripheral()
    let world = VirtualWorld(MockConfiguration(name: "None")) { $0.transactionTimeout = .milliseconds(20) }
    world.radio.add(slow)
    await world.connect(slow.id)
    #expect(await world.read(11, slow.id) == .failure(.peripheralDisconnected))
    #expect(await eventually { world.events.last == .disconnected(slow.id, .connectionTimeout) })
  }

  @Test("FLOW-1, FLOW-2: commands find room until so many wait, and are told when there is room again")
  func commandRoom() async {
    let slow = SlowPeripheral()
    let world = VirtualWorld(MockConfiguration(name: "None")) { $0.commandQueueDepth = 4 }
    world.radio.add(slow)
    await world.connect(slow.id)
    let radio = world.radio
    var sent = 0
    while radio.canSendWriteWithoutResponse(to: slow.id), sent < 10 {
      radio.writeWithoutResponse([UInt8(sent)], to: 11, of: slow.id) { _ in }
      sent += 1
    }
    #expect(sent == 4)
    slow.answerOne()
    await turns()
    #expect(world.events.isEmpty)
    slow.answerOne()
    await turns()
    #expect(world.takeEvents() == [.ready(slow.id)])
    #expect(radio.canSendWriteWithoutResponse(to: slow.id))
    slow.answerAll()
    await turns()
    #expect(slow.written == [[0], [1], [2], [3]])
    #expect(world.takeEvents().isEmpty)
  }

  // MARK: Notifications

  @Test("GATT-20, GATT-24, GATT-27: a subscriber gets each value until it unsubscribes")
  func notifications() async {
    let world = await world()
    let radio = world.radio
    #expect(radio.notify([1], characteristic: Bench.level, of: .bench))
    #expect(await world.setNotify(true, Bench.level, .bench) == nil)
    #expect(radio.subscription(to: Bench.level, of: .bench) == .notify)
    #expect(await world.read(Bench.levelConfiguration, .bench) == .success([1, 0]))
    radio.notify([2], characteristic: Bench.level, of: .bench)
    radio.notify([2], characteristic: Bench.level, of: .bench)
    await turns()
    #expect(world.takeEvents() == [.notified([2], Bench.level), .notified([2], Bench.level)])
    #expect(await world.setNotify(false, Bench.level, .bench) == nil)
    radio.notify([3], characteristic: Bench.level, of: .bench)
    await turns()
    #expect(world.takeEvents().isEmpty)
    #expect(await world.read(Bench.levelConfiguration, .bench) == .success([0, 0]))
  }

  @Test("GATT-20, PERI-45: what only indicates is subscribed to with indications")
  func indications() async {
    let world = await world()
    #expect(await world.setNotify(true, Bench.alarm, .bench) == nil)
    #expect(world.radio.subscription(to: Bench.alarm, of: .bench) == .indicate)
    #expect(await world.read(Bench.alarmConfiguration, .bench) == .success([2, 0]))
  }

  @Test("GATT-21: subscribing to what has neither property gives ATT 6")
  func subscribingToOthers() async {
    #expect(await world().setNotify(true, Bench.control, .bench) == .attribute(0x06))
  }

  @Test("GATT-25: a subscription ends with the link")
  func subscriptionsEnd() async {
    let world = await world()
    _ = await world.setNotify(true, Bench.level, .bench)
    world.radio.disconnect(.bench)
    await world.connect(.bench)
    #expect(world.radio.subscription(to: Bench.level, of: .bench) == .none)
  }

  @Test("GATT-28: a notification is cut to MTU - 3")
  func longNotification() async {
    let world = await world(.bench { $0.mtu = 30 })
    _ = await world.setNotify(true, Bench.level, .bench)
    world.radio.notify([UInt8](repeating: 9, count: 40), characteristic: Bench.level, of: .bench)
    await turns()
    #expect(world.takeEvents() == [.notified([UInt8](repeating: 9, count: 27), Bench.level)])
  }

  @Test("PERI-43, PERI-44: past the queue nothing is taken, and the peripheral is told of room once")
  func notificationRoom() async {
    let slow = SlowPeripheral()
    let world = VirtualWorld(MockConfiguration(name: "None")) { $0.notificationQueueDepth = 20 }
    world.radio.add(slow)
    await world.connect(slow.id)
    slow.answersAtOnce = true
    _ = await world.setNotify(true, 11, slow.id)
    let taken = (0..<30).filter { world.radio.notify([UInt8($0)], characteristic: 11, of: slow.id) }
    #expect(taken == Array(0..<20))
    await turns()
    #expect(world.takeEvents().count == 20)
    #expect(slow.readyCount == 1)
  }
}
