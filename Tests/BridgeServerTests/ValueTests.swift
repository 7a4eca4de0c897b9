import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// Reads, writes and descriptors of one client.
@Suite @BridgeQueue struct ValueTests {
  private func write(_ value: [UInt8], _ type: WriteCharacteristic.WriteType, to id: String = Meter.controlID)
    -> ClientMessage
  {
    .write(WriteCharacteristic(id: .meter, characteristicId: id, value: value, writeType: type))
  }

  private let read = ClientMessage.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID))

  @Test func requestsArePipelined() async throws {
    let service = try ServiceFixture()
    var pending: [RadioCompletion<[UInt8]>] = []
    service.radio.onRead = { pending.append($1) }
    let client = try await service.connectedClient()
    for _ in 0..<16 { client.send(read) }
    #expect(await eventually { pending.count == 16 })
    for (number, completion) in pending.enumerated() { completion(.success([UInt8(number)])) }
    for number in 0..<16 {
      guard case .didUpdateValue(let update)? = try await client.next() else { return unexpected() }
      #expect(update.value == [UInt8(number)])
    }
    await service.stop()
  }

  @Test func descriptorValuesHaveTheTypesOfCoreBluetooth() async throws {
    let service = try ServiceFixture()
    service.radio.devices[.meter]?.values[23] = .success([2, 0])
    let client = try await service.connectedClient()
    let expected: [(String, DescriptorValue)] = [
      ("2902:23", .number(2)), ("2901:24", .text("Shunt current")), ("2904:25", .bytes([6, 0, 0x28, 0x27, 1, 0, 0])),
    ]
    for (end, value) in expected {
      client.send(.readDescriptor(ReadDescriptor(id: .meter, descriptorId: "\(Meter.currentID):\(end)")))
      guard case .didUpdateDescriptorValue(let update)? = try await client.next() else { return unexpected() }
      #expect(update.value == value)
    }
    await service.stop()
  }

  @Test func theConfigurationDescriptorIsNotWritten() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    client.send(.writeDescriptor(WriteDescriptor(id: .meter, descriptorId: Meter.configurationID, value: [1, 0])))
    guard case .didWriteDescriptorValue(let reply)? = try await client.next() else { return unexpected() }
    #expect(reply.error?.text.contains("setNotifyValue:forCharacteristic:") == true)
    client.send(
      .writeDescriptor(WriteDescriptor(id: .meter, descriptorId: "\(Meter.currentID):2901:24", value: [65])))
    guard case .didWriteDescriptorValue(let second)? = try await client.next() else { return unexpected() }
    #expect(second.error == nil)
    #expect(service.radio.commands.filter { if case .write = $0 { true } else { false } } == [.write([65], 24)])
    await service.stop()
  }

  @Test func aWriteWithoutAWriteTypeWantsAResponse() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    client.send("{\"type\":\"write\",\"id\":\"x\",\"characteristicId\":\"\(Meter.controlID)\",\"value\":\"oQ==\"}")
    #expect(try await client.next()?.type == "didWriteValue")
    #expect(service.radio.commands.last == .write([0xA1], Meter.control))
    await service.stop()
  }

  @Test func aWriteWithoutResponseIsNeverAnswered() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: .control)
    client.send(write([1], .withoutResponse))
    client.send(write([2], .withoutResponse, to: Meter.currentID))
    client.send(write([UInt8](repeating: 3, count: 513), .withoutResponse))
    client.send(write([4], .withoutResponse, to: "\(Meter.serviceID):FFFF:9"))
    client.send(read)
    #expect(try await client.messagesUntilStatus().isEmpty)
    #expect(try await client.next()?.type == "didUpdateValue")
    let writes = service.radio.commands.filter { if case .writeWithoutResponse = $0 { true } else { false } }
    #expect(writes == [.writeWithoutResponse([1], Meter.control)])
    await service.stop()
  }

  @Test func whileTheDeviceIsFullTheOrderOfRequestsIsKept() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    client.send(read)
    _ = try await client.next("didUpdateValue")
    _ = service.radio.takeCommands()
    service.radio.canSend = false
    client.send(write([1], .withoutResponse))
    client.send(write([2], .withoutResponse))
    client.send(read)
    client.send(write([3], .withoutResponse))
    client.send(write([4], .withResponse))
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await client.next()?.type == "didReadRSSI")
    #expect(service.radio.takeCommands() == [.readRSSI(.meter)])
    service.radio.makeReady(.meter)
    #expect(
      service.radio.commands == [
        .writeWithoutResponse([1], Meter.control), .writeWithoutResponse([2], Meter.control), .read(Meter.current),
        .writeWithoutResponse([3], Meter.control), .write([4], Meter.control),
      ])
    #expect(try await client.next()?.type == "didReadyToWriteWithoutResponse")
    #expect(try await client.next()?.type == "didUpdateValue")
    #expect(try await client.next()?.type == "didWriteValue")
    await service.stop()
  }

  @Test func roomWithoutAWaitingWriteIsNotAnnounced() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: .control)
    client.send(read)
    _ = try await client.next("didUpdateValue")
    service.radio.makeReady(.meter)
    #expect(try await client.messagesUntilStatus().isEmpty)
    await service.stop()
  }

  @Test func aClientPastItsBoundIsNotReadUntilTheDeviceTakesMore() async throws {
    let service = try ServiceFixture { $0.limits.deviceQueue = 1000 }
    let client = try await service.connectedClient()
    client.send(read)
    _ = try await client.next("didUpdateValue")
    service.radio.canSend = false
    for number in 0..<100 { client.send(write([UInt8(number)], .withoutResponse)) }
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    await turns(30)
    #expect(client.pendingLines == 0)
    service.radio.makeReady(.meter)
    #expect(try await client.next("didReadRSSI") != nil)
    let values = service.radio.commands.compactMap {
      guard case .writeWithoutResponse(let value, _) = $0 else { return nil as UInt8? }
      return value[0]
    }
    #expect(values == Array(0..<100))
    await service.stop()
  }

  @Test func aFloodOfRequestsIsReadOnlyAsFastAsTheRadioAnswers() async throws {
    let service = try ServiceFixture()
    var pending: [RadioCompletion<[UInt8]>] = []
    service.radio.onRead = { pending.append($1) }
    let client = try await service.connectedClient()
    for _ in 0..<3000 { client.send(read) }
    #expect(await eventually { pending.count == 1024 })
    await turns(10)
    #expect(pending.count == 1024)
    var answered = 0
    while answered < 3000 {
      #expect(await eventually { pending.count > answered })
      while answered < pending.count {
        pending[answered](.success([]))
        answered += 1
      }
    }
    for _ in 0..<3000 { #expect(await client.nextLine() != nil) }
    await service.stop()
  }

  @Test func theWriteLengthIsToldToThoseWhoAsked() async throws {
    let service = try ServiceFixture()
    let client = try service.client()
    client.hello(features: .mtu)
    client.send(.connect(Connect(id: .meter)))
    _ = try await client.next("didConnect")
    guard case .didUpdateMTU(let first)? = try await client.next() else { return unexpected() }
    #expect(first.maximumWriteValueLength == 20)
    service.radio.writeLength = 244
    client.send(.discoverServices(DiscoverServices(id: .meter)))
    _ = try await client.next("didDiscoverServices")
    guard case .didUpdateMTU(let second)? = try await client.next() else { return unexpected() }
    #expect(second.maximumWriteValueLength == 244)
    await service.stop()
  }
}
