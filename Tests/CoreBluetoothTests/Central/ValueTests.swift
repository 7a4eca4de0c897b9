import BridgeProtocol
import CoreBluetooth
import Testing

@Suite struct ValueTests {
  @Test("GATT-1, GATT-13: Each read is answered once, in order")
  func gatt1() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    for _ in 0..<3 { meter.peripheral.readValue(for: meter.current) }
    #expect(await fixture.requestsSoFar() == ["read", "read", "read"])
    await fixture.provider.send((0..<3).map { Wire.value([$0]) })
    for number in 0..<3 { #expect(try await fixture.recorder.next(.didUpdateValue).value == Data([UInt8(number)])) }
  }

  @Test("GATT-2: Long values come whole")
  func gatt2() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.readValue(for: meter.current)
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
    await fixture.provider.send(Wire.value(value))
    #expect(try await fixture.recorder.next(.didUpdateValue).value == Data(value))
  }

  @Test("GATT-3, GATT-4, GATT-12: A failure has the device's ATT code and leaves the value", arguments: [2, 15, 0x80])
  func gatt3(_ code: UInt8) async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send([Wire.value([9]), Wire.value([], error: .attribute(code))])
    _ = try await fixture.recorder.next(.didUpdateValue)
    let event = try await fixture.recorder.next(.didUpdateValue)
    #expect((event.error as? CBATTError)?.code.rawValue == Int(code))
    #expect(meter.current.value == Data([9]))
  }

  @Test("GATT-4: A characteristic that is not readable is asked all the same")
  func gatt4() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.readValue(for: meter.control)
    #expect(await fixture.requestsSoFar() == ["read"])
  }

  @Test("GATT-5: A notification during a read does not take the read's place")
  func gatt5() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.readValue(for: meter.current)
    await fixture.provider.send([Wire.value([1]), Wire.value([2])])
    #expect(try await fixture.eventsSoFar() == [.didUpdateValue, .didUpdateValue])
  }

  @Test("GATT-6, GATT-9: A write with response is answered once and does not change the value")
  func gatt6() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.writeValue(Data([1, 2]), for: meter.control, type: .withResponse)
    guard case .write(let write)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
    #expect(write.value == [1, 2] && write.writeType == .withResponse)
    await fixture.provider.send([Wire.written(), Wire.written(.attribute(3))])
    #expect(try await fixture.recorder.next(.didWriteValue).error == nil)
    #expect((try await fixture.recorder.next(.didWriteValue).error as? CBATTError)?.code == .writeNotPermitted)
    #expect(meter.control.value == nil)
  }

  @Test("GATT-7, GATT-8: A write without response is not answered, and dropped without the property")
  func gatt7() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.writeValue(Data([1]), for: meter.control, type: .withoutResponse)
    meter.peripheral.writeValue(Data([1]), for: meter.current, type: .withoutResponse)
    #expect(await fixture.requestsSoFar() == ["write"])
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("GATT-10: Too long with response is the service's to refuse; without response it is dropped")
  func gatt10() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    let long = Data(count: 513)
    meter.peripheral.writeValue(long, for: meter.control, type: .withoutResponse)
    #expect(await fixture.requestsSoFar() == [])
    meter.peripheral.writeValue(long, for: meter.control, type: .withResponse)
    #expect(await fixture.requestsSoFar() == ["write"])
    await fixture.provider.send(Wire.written(.attribute(13)))
    let error = try await fixture.recorder.next(.didWriteValue).error
    #expect((error as? CBATTError)?.code == .invalidAttributeValueLength)
  }

  @Test("GATT-11: Writes of both kinds and reads keep their order")
  func gatt11() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    for number in 0..<30 {
      let type: CBCharacteristicWriteType = number % 2 == 0 ? .withoutResponse : .withResponse
      meter.peripheral.writeValue(Data([UInt8(number)]), for: meter.control, type: type)
      if number % 3 == 0 { meter.peripheral.readValue(for: meter.current) }
    }
    for number in 0..<30 {
      guard case .write(let write)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
      #expect(write.value == [UInt8(number)])
      if number % 3 == 0 { #expect(await fixture.provider.next()?.type == "read") }
    }
  }

  @Test("GATT-20, GATT-24: The state of notifying shows right before it is told")
  func gatt20() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    for enabled in [true, false] {
      meter.peripheral.setNotifyValue(enabled, for: meter.current)
      guard case .setNotify(let request)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
      #expect(request.enabled == enabled)
      #expect(meter.current.isNotifying != enabled)
      await fixture.provider.send(Wire.notifying(enabled))
      #expect(try await fixture.recorder.next(.didUpdateNotificationState).isNotifying == enabled)
    }
  }

  @Test("GATT-21, GATT-22: A refused subscription has the ATT code and notifies not", arguments: [6, 10])
  func gatt21(_ code: UInt8) async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.setNotifyValue(true, for: meter.current)
    await fixture.provider.send(Wire.notifying(false, .attribute(code)))
    let event = try await fixture.recorder.next(.didUpdateNotificationState)
    #expect((event.error as? CBATTError)?.code.rawValue == Int(code))
    #expect(event.isNotifying == false)
  }

  @Test("GATT-23: A notification that comes before the answer is told")
  func gatt23() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.setNotifyValue(true, for: meter.current)
    await fixture.provider.send([Wire.value([1]), Wire.notifying(true)])
    #expect(try await fixture.eventsSoFar() == [.didUpdateValue, .didUpdateNotificationState])
  }

  @Test("GATT-27: Equal notifications are all told")
  func gatt27() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send(Array(repeating: Wire.value([1]), count: 5))
    #expect(try await fixture.eventsSoFar() == Array(repeating: .didUpdateValue, count: 5))
    #expect(meter.current.value == Data([1]))
  }

  @Test("FLOW-1, FLOW-2, FLOW-4, FLOW-5: Room for writes is there at once, ends, and its return is told once")
  func flow() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    #expect(meter.peripheral.canSendWriteWithoutResponse)
    var count = 0
    while meter.peripheral.canSendWriteWithoutResponse {
      meter.peripheral.writeValue(Data([1]), for: meter.control, type: .withoutResponse)
      count += 1
    }
    #expect(count == 20)
    await fixture.provider.send([
      .didTakeWrites(DidTakeWrites(id: .meter, count: 1)), .didTakeWrites(DidTakeWrites(id: .meter, count: 19)),
    ])
    #expect(try await fixture.eventsSoFar() == [.isReadyToWrite])
    #expect(meter.peripheral.canSendWriteWithoutResponse)
  }

  @Test("FLOW-3: A write while there is no room goes all the same")
  func flow3() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    for _ in 0..<25 { meter.peripheral.writeValue(Data([1]), for: meter.control, type: .withoutResponse) }
    #expect(await fixture.requestsSoFar().count == 25)
    await fixture.provider.send(.didTakeWrites(DidTakeWrites(id: .meter, count: 25)))
    #expect(try await fixture.eventsSoFar() == [.isReadyToWrite])
  }

  @Test("FLOW-1: With a provider that tells nothing of writes, the socket's room counts")
  func flow1others() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    let meter = try await fixture.explored()
    for _ in 0..<50 {
      while !meter.peripheral.canSendWriteWithoutResponse { _ = try await fixture.recorder.next(.isReadyToWrite) }
      meter.peripheral.writeValue(Data([1]), for: meter.control, type: .withoutResponse)
    }
    #expect(await fixture.requestsSoFar().count == 50)
  }

  @Test("MTU-1, MTU-3, MTU-4: The length of a write is the link's, known or not; MTU-2: with response it is 512")
  func mtu() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
    #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
    try await fixture.connect(peripheral)
    #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
    await fixture.provider.send(.didUpdateMTU(DidUpdateMTU(id: .meter, maximumWriteValueLength: 182)))
    #expect(try await fixture.eventsSoFar() == [])
    #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 182)
  }

  @Test("DESC-1: The client characteristic configuration is not written as a descriptor")
  func desc1() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.writeValue(Data([1, 0]), for: meter.descriptors[0])
    #expect((try await fixture.recorder.next(.didWriteDescriptorValue).error as? CBError)?.code == .uuidNotAllowed)
    #expect(await fixture.requestsSoFar() == [])
  }

  @Test("DESC-2, DESC-3: Values of descriptors have Apple's types, whatever the provider makes of them")
  func desc2() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    func value(_ index: Int, _ value: DescriptorValue?) async throws -> Any? {
      let descriptor = meter.descriptors[index]
      meter.peripheral.readValue(for: descriptor)
      guard case .readDescriptor(let request)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
      await fixture.provider.send(
        .didUpdateDescriptorValue(
          DidUpdateDescriptorValue(id: .meter, descriptorId: request.descriptorId, value: value)))
      return try await fixture.recorder.next(.didUpdateDescriptorValue).descriptor?.value
    }
    #expect(try await value(0, .number(2)) as? NSNumber == 2)
    #expect(try await value(0, .bytes([1, 0])) as? NSNumber == 1)
    #expect(try await value(0, nil) == nil)
    #expect(try await value(1, .text("Strom ↯")) as? String == "Strom ↯")
    #expect(try await value(1, .bytes(Array("A".utf8))) as? String == "A")
    #expect(try await value(1, nil) as? String == "")
    #expect(try await value(2, .bytes([4, 0, 1, 0x27, 1, 0, 0])) as? Data == Data([4, 0, 1, 0x27, 1, 0, 0]))
    #expect(try await value(2, nil) as? Data == Data())
  }

  @Test("DESC-4: A write of a descriptor is answered")
  func desc4() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.writeValue(Data("Volt".utf8), for: meter.descriptors[1])
    guard case .writeDescriptor(let write)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
    #expect(write.value == Array("Volt".utf8))
    await fixture.provider.send(
      .didWriteDescriptorValue(DidWriteDescriptorValue(id: .meter, descriptorId: write.descriptorId)))
    #expect(try await fixture.recorder.next(.didWriteDescriptorValue).error == nil)
  }

  @Test("PAIR-4: Security errors come with the call that met them")
  func pair4() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send([
      Wire.value([], error: .attribute(5)), Wire.written(.attribute(5)), Wire.notifying(false, .attribute(15)),
    ])
    for code in [CBATTError.Code.insufficientAuthentication, .insufficientAuthentication, .insufficientEncryption] {
      #expect((try await fixture.recorder.next().error as? CBATTError)?.code == code)
    }
    withExtendedLifetime(meter) {}
  }
}
