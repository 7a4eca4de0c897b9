import BridgeIO
import BridgeProtocol
import CoreBluetooth
import TestSupport
import Testing

/// The golden conversations of ImpossiBLE's providers, with a manager as their client: a provider that knows no feature.
@Suite struct ImpossiBLEProviderTests {
  @Test(arguments: [
    "01-mock-hello-scan-stop", "02-mock-scan-filtered", "03-mock-gatt-read-write-descriptor",
    "04-passthrough-gatt-notify", "05-mock-notify-rssi", "06-passthrough-l2cap",
    "11-passthrough-advertisements-events",
  ])
  func conversation(_ name: String) async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    let play = TranscriptPlay(try Transcript(named: name), fixture)
    try await play.run()
  }

  @Test("A provider that closes says that the radio is off, and is looked for again")
  func coming() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    await fixture.provider.hangUp(listening: false)
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .resetting)
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .poweredOff)
    await fixture.provider.listen()
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .poweredOn)
  }

  @Test("A scan after the provider came back goes out, though it is the same as before")
  func sameScan() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    fixture.central.scanForPeripherals(withServices: nil)
    _ = await fixture.provider.next("scan")
    await fixture.provider.hangUp()
    #expect(try await fixture.recorder.next(.didUpdateState).isScanning == false)
    _ = try await fixture.recorder.next(.didUpdateState)
    fixture.central.scanForPeripherals(withServices: nil)
    #expect(await fixture.provider.next()?.type == "scan")
  }

  @Test("Who is superseded by another client stays away")
  func superseded() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    await fixture.provider.send(
      .connectionRejected(ConnectionRejected(supersededBy: 1, processName: "other")))
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .poweredOff)
    #expect(await fixture.provider.isLeft())
    #expect(await fixture.provider.connections == 1)
  }

  @Test("Of several managers of a process the last one made has a provider that serves one client")
  func oneClient() async throws {
    let provider = ScriptedProvider(features: nil)
    await provider.serveOneClient()
    let first = try await CentralFixture.on(provider)
    let peripheral = try await first.connected()
    let second = try await CentralFixture.on(provider)
    #expect(try await first.recorder.next(.didUpdateState).managerState == .poweredOff)
    #expect((try await first.recorder.next(.didDisconnect).error as? CBError)?.code == .connectionTimeout)
    #expect(peripheral.state == .disconnected)
    // The first one does not fight for its place, and its app's calls are dropped.
    first.central.scanForPeripherals(withServices: nil)
    #expect(!first.central.isScanning)
    _ = try await second.connected()
    #expect(await provider.connections == 2)
    #expect(second.central.state == .poweredOn && first.recorder.pending.isEmpty)
  }

  @Test("Errors that come as text alone are known by Apple's text")
  func errorTexts() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    let peripheral = try await fixture.connected()
    await fixture.provider.send(Wire.disconnected(.impossible("The specified device has disconnected from us.")))
    #expect((try await fixture.recorder.next(.didDisconnect).error as? CBError)?.code == .peripheralDisconnected)
    withExtendedLifetime(peripheral) {}
  }
}

extension ScriptedProvider {
  fileprivate func serveOneClient() { servesOneClient = true }
}

/// Does with a manager what a transcript's client does, plays its provider, and compares what goes out.
private final class TranscriptPlay {
  private let transcript: Transcript
  private let fixture: CentralFixture
  private var peripherals: [String: CBPeripheral] = [:]
  private var attributes: [String: CBAttribute] = [:]
  private var channels: [CBL2CAPChannel] = []
  private var allowsDuplicates = false
  /// The manager refuses, or cannot even say, what the client there asks: nothing goes out and nothing is answered.
  private var isSkipping = false

  init(_ transcript: Transcript, _ fixture: CentralFixture) {
    self.transcript = transcript
    self.fixture = fixture
  }

  func run() async throws {
    for line in transcript.lines {
      switch line.direction {
      case .clientToServer:
        let message = try ClientMessage(line: line.bytes)
        isSkipping = !(try ask(message))
        if isSkipping { continue }
        try await compare(message)
      case .serverToClient:
        if isSkipping { continue }
        let message = try ServerMessage(line: line.bytes)
        await fixture.provider.send(message)
        try await expect(message)
      }
    }
    #expect(try await fixture.eventsSoFar().allSatisfy { $0 == .isReadyToWrite })
  }

  // MARK: The client

  /// - Returns: false for what this module's apps cannot ask.
  private func ask(_ message: ClientMessage) throws -> Bool {
    let central = fixture.central!
    switch message {
    case .scan(let scan):
      allowsDuplicates = scan.allowDuplicates
      central.scanForPeripherals(
        withServices: scan.services.map { CBUUID(string: $0.text) },
        options: [CBCentralManagerScanOptionAllowDuplicatesKey: scan.allowDuplicates])
    case .stopScan: central.stopScan()
    case .registerForConnectionEvents: central.registerForConnectionEvents(options: nil)
    case .connect(let connect):
      guard let peripheral = peripherals[connect.id.text] else { return false }
      let options = connect.options.compactMapValues { $0.boolValue }
      central.connect(peripheral, options: options.isEmpty ? nil : options)
    case .cancel(let cancel):
      guard let peripheral = peripherals[cancel.id.text], peripheral.state == .connected else { return false }
      central.cancelPeripheralConnection(peripheral)
    case .l2capWrite(let write):
      let channel = try #require(channels.last)
      channel.outputStream.open()
      #expect(channel.outputStream.write(write.value, maxLength: write.value.count) == write.value.count)
    case .l2capClose:
      let channel = try #require(channels.last)
      channel.inputStream.close()
      channel.outputStream.close()
    default: return try askPeripheral(message)
    }
    return true
  }

  private func askPeripheral(_ message: ClientMessage) throws -> Bool {
    func peripheral(_ id: PeripheralIdentifier) throws -> CBPeripheral { try #require(peripherals[id.text]) }
    switch message {
    case .readRSSI(let request):
      guard let peripheral = peripherals[request.id.text], peripheral.state == .connected else { return false }
      peripheral.readRSSI()
    case .discoverServices(let request):
      guard let peripheral = peripherals[request.id.text] else { return false }
      peripheral.discoverServices(request.services.map { CBUUID(string: $0.text) })
    case .discoverIncludedServices(let request):
      try peripheral(request.id).discoverIncludedServices(nil, for: try attribute(request.serviceId))
    case .discoverCharacteristics(let request):
      guard let service = attributes[request.serviceId] as? CBService else { return false }
      try peripheral(request.id).discoverCharacteristics(
        request.characteristics.map { CBUUID(string: $0.text) }, for: service)
    case .discoverDescriptors(let request):
      try peripheral(request.id).discoverDescriptors(for: try attribute(request.characteristicId))
    case .read(let request):
      guard let characteristic = attributes[request.characteristicId] as? CBCharacteristic else { return false }
      try peripheral(request.id).readValue(for: characteristic)
    case .write(let request):
      let type: CBCharacteristicWriteType = request.writeType == .withResponse ? .withResponse : .withoutResponse
      let characteristic: CBCharacteristic = try attribute(request.characteristicId)
      guard type == .withResponse || characteristic.properties.contains(.writeWithoutResponse) else { return false }
      try peripheral(request.id).writeValue(Data(request.value), for: characteristic, type: type)
    case .readDescriptor(let request):
      try peripheral(request.id).readValue(for: try attribute(request.descriptorId) as CBDescriptor)
    case .setNotify(let request):
      guard let characteristic = attributes[request.characteristicId] as? CBCharacteristic else { return false }
      try peripheral(request.id).setNotifyValue(request.enabled, for: characteristic)
    case .openL2CAP(let request): try peripheral(request.id).openL2CAPChannel(request.psm)
    default: return false
    }
    return true
  }

  private func attribute<Attribute: CBAttribute>(_ wireID: String) throws -> Attribute {
    try #require(attributes[wireID] as? Attribute)
  }

  private func compare(_ expected: ClientMessage) async throws {
    let sent = try #require(await fixture.provider.next())
    switch (sent, expected) {
    case (.scan(var sent), .scan(let expected)):
      // Each manager has a number of its own.
      sent.scannerKeys = expected.scannerKeys
      #expect(sent == expected)
    default: #expect(sent == expected)
    }
  }

  // MARK: The provider

  private func expect(_ message: ServerMessage) async throws {
    switch message {
    case .didDiscover(let report):
      // What is repeated is told once.
      guard allowsDuplicates || peripherals[report.id.text] == nil else { return }
      let event = try await fixture.recorder.next(.didDiscover)
      event.peripheral?.delegate = fixture.recorder
      peripherals[report.id.text] = event.peripheral
    case .l2capData(let data):
      let channel = try #require(channels.last)
      channel.inputStream.open()
      #expect(await read(channel.inputStream) == data.value)
    case .l2capClosed, .didReadyToWriteWithoutResponse, .didSetMockConfiguration: break
    default: try await expectEvent(message)
    }
  }

  private func expectEvent(_ message: ServerMessage) async throws {
    let event = try await fixture.recorder.next()
    #expect("\(event.name)" == Self.names[message.type], "\(message)")
    for attribute in event.services as [CBAttribute] + (event.service?.characteristics ?? [])
      + (event.service?.includedServices ?? []) + (event.characteristic?.descriptors ?? [])
    {
      attributes[attribute.wireID ?? ""] = attribute
    }
    if let channel = event.channel { channels.append(channel) }
    if case .didUpdateValue(let update) = message, update.error == nil { #expect(event.value == Data(update.value)) }
  }

  private static let names = [
    "didConnect": "didConnect", "didDisconnect": "didDisconnect", "didUpdateName": "didUpdateName",
    "didReadRSSI": "didReadRSSI", "didDiscoverServices": "didDiscoverServices",
    "didDiscoverIncludedServices": "didDiscoverIncludedServices",
    "didDiscoverCharacteristics": "didDiscoverCharacteristics", "didDiscoverDescriptors": "didDiscoverDescriptors",
    "didUpdateValue": "didUpdateValue", "didWriteValue": "didWriteValue",
    "didUpdateDescriptorValue": "didUpdateDescriptorValue", "didWriteDescriptorValue": "didWriteDescriptorValue",
    "didUpdateNotification": "didUpdateNotificationState", "didOpenL2CAP": "didOpenChannel",
    "didModifyServices": "didModifyServices",
  ]

  private func read(_ stream: InputStream) async -> [UInt8] {
    let stream = Held(stream)
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var bytes = [UInt8](repeating: 0, count: 100)
        let length = stream.object.read(&bytes, maxLength: bytes.count)
        continuation.resume(returning: Array(bytes.prefix(max(0, length))))
      }
    }
  }
}
