import CoreBluetooth
import EmulationTestSupport
import MockBackend
import Testing

/// Values and channels between two apps.
@Suite struct ValueTogetherTests {
  @Test("DESC-5: The configuration shows 1 while notified, 2 while indicated, 0 else")
  func desc5() async throws {
    let service = try await TogetherService()
    let indicated = CBMutableCharacteristic(
      type: CBUUID(string: "FFF1"), properties: .indicate, value: nil, permissions: .readable)
    let (central, peripheral) = try await service.pair(with: [indicated])
    let (_, characteristics) = try await service.explored(central)
    for (characteristic, number) in [(characteristics[0], 1), (characteristics[2], 2)] {
      let configuration = try #require(try await central.descriptors(of: characteristic).first)
      #expect(configuration.uuid == CBUUID(string: CBUUIDClientCharacteristicConfigurationString))
      #expect(try await central.read(configuration) as? Int == 0)
      try await central.setNotify(true, characteristic)
      #expect(try await central.read(configuration) as? Int == number)
      try await central.setNotify(false, characteristic)
      #expect(try await central.read(configuration) as? Int == 0)
    }
    await service.stop()
    withExtendedLifetime(peripheral) {}
  }

  @Test("GATT-14: A request that is not answered ends the link, which alone is told")
  func gatt14() async throws {
    var options = VirtualHostedWorld.Options()
    options.radio.transactionTimeout = .milliseconds(20)
    let service = try await TogetherService(options)
    let (central, peripheral) = try await service.pair()
    let (found, characteristics) = try await service.explored(central)
    peripheral.fallSilent()
    found.readValue(for: characteristics[0])
    let (isTold, error) = try await central.inbox.first("end of the read") { (event) -> (Bool, Answer)? in
      switch event {
      case .value(_, _, let error): (true, Answer(error))
      case .disconnected(_, let error): (false, Answer(error))
      default: nil
      }
    }
    #expect(!isTold)
    #expect((error.error as? CBError)?.code == .connectionTimeout)
    await service.stop()
  }

  @Test("GATT-28: A notification has as many bytes as the link carries")
  func gatt28() async throws {
    var options = VirtualHostedWorld.Options()
    options.maximumMTU = 50
    let service = try await TogetherService(options)
    let (central, peripheral) = try await service.pair()
    let (_, characteristics) = try await service.explored(central)
    try await central.setNotify(true, characteristics[0])
    let subscriber = try await peripheral.inbox.first("subscription") {
      if case .subscribed(let central, _) = $0 { central } else { nil }
    }
    #expect(subscriber.maximumUpdateValueLength == 47)
    peripheral.value = Data((0..<100))
    peripheral.manager.updateValue(peripheral.value, for: peripheral.characteristic, onSubscribedCentrals: nil)
    #expect(try await central.value(of: characteristics[0]) == Data((0..<47)))
    // Who wants the rest reads.
    #expect(try await central.read(characteristics[0]) == Data((0..<100)))
    await service.stop()
  }

  @Test("L2CAP-12: A PSM is told by a characteristic of its own, and opened")
  func l2cap12() async throws {
    let service = try await TogetherService()
    let peripheral = service.peripheral()
    try await peripheral.state(.poweredOn)
    let psm = try await peripheral.publishChannel()
    let place = CBMutableCharacteristic(
      type: CBUUID(string: CBUUIDL2CAPPSMCharacteristicString), properties: .read,
      value: withUnsafeBytes(of: psm.littleEndian) { Data($0) }, permissions: .readable)
    try await peripheral.open(named: "Sensor", with: [place])
    let central = service.central()
    try await central.state(.poweredOn)
    let (found, characteristics) = try await service.explored(central)
    #expect(characteristics[2].uuid.uuidString == "ABDD3056-28FA-441D-A470-55A75A52553A")
    let value = try #require(try await central.read(characteristics[2]))
    #expect(Array(value) == [UInt8(psm & 0xFF), UInt8(psm >> 8)])
    found.openL2CAPChannel(psm)
    #expect(try await central.channel().psm == psm)
    await service.stop()
  }

  @Test("L2CAP-10: Channels to one PSM are apart on both sides")
  func l2cap10() async throws {
    let service = try await TogetherService()
    let (central, peripheral) = try await service.pair()
    let psm = try await peripheral.publishChannel()
    let (found, _) = try await service.explored(central)
    var ends: [(central: CBL2CAPChannel, peripheral: CBL2CAPChannel)] = []
    for _ in 0..<2 {
      found.openL2CAPChannel(psm)
      ends.append((try await central.channel(), try await peripheral.channel()))
    }
    #expect(ends[0].central !== ends[1].central && ends[0].peripheral !== ends[1].peripheral)
    for (number, end) in ends.enumerated() {
      #expect(end.peripheral.peer === ends[0].peripheral.peer && end.peripheral.psm == psm)
      end.central.outputStream.open()
      end.peripheral.inputStream.open()
      #expect(end.central.outputStream.write([UInt8(number)], maxLength: 1) == 1)
    }
    for (number, end) in ends.enumerated() {
      var byte: UInt8 = 0xFF
      #expect(end.peripheral.inputStream.read(&byte, maxLength: 1) == 1)
      #expect(byte == UInt8(number))
    }
    await service.stop()
  }
}

extension CentralApp {
  /// The channel that was asked for.
  fileprivate func channel() async throws -> CBL2CAPChannel {
    try await inbox.first("channel") { if case .channel(let channel?, nil) = $0 { channel } else { nil } }
  }
}
