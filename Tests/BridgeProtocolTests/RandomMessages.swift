import BridgeProtocol

/// Random messages of every type, with hostile texts in them.
struct RandomMessages<Random: RandomNumberGenerator> {
  var random: Random

  mutating func text() -> String { RandomJSON.text(using: &random) }
  mutating func bool() -> Bool { Bool.random(using: &random) }
  mutating func number(_ range: ClosedRange<Int> = Int.min...Int.max) -> Int { Int.random(in: range, using: &random) }
  mutating func word() -> UInt64 { UInt64.random(in: 0...UInt64.max, using: &random) }
  mutating func time() -> Double { Double.random(in: 0...2e9, using: &random) }
  mutating func peripheral() -> PeripheralIdentifier { PeripheralIdentifier(high: word(), low: word()) }
  mutating func bytes() -> [UInt8] { (0..<number(0...40)).map { _ in UInt8.random(in: 0...255, using: &random) } }

  mutating func uuid() -> BluetoothUUID {
    switch number(0...2) {
    case 0: BluetoothUUID(short: UInt32(number(0...0xFFFF)))
    case 1: BluetoothUUID(short: UInt32(number(0...0xFFFF_FFFF)))
    default: BluetoothUUID(high: word(), low: word())
    }
  }

  mutating func spelled() -> SpelledUUID {
    let uuid = uuid()
    return bool() ? SpelledUUID(uuid) : SpelledUUID(uuid.fullText)!
  }

  mutating func list<Element>(_ make: (inout Self) -> Element) -> [Element] {
    (0..<number(0...3)).map { _ in make(&self) }
  }

  mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? { bool() ? make(&self) : nil }

  mutating func tree() -> [String: JSONValue] { RandomJSON.object(depth: 3, using: &random) }

  mutating func error() -> BluetoothError? {
    switch number(0...3) {
    case 0: .attribute(UInt8(number(0...255)))
    case 1: BluetoothError(.bluetooth, number(0...16), text() + "!")
    case 2: .impossible(text() + "!")
    default: nil
    }
  }

  /// An attribute identifier with its owner.
  mutating func attribute() -> (PeripheralIdentifier, String) {
    let owner = peripheral()
    return (owner, "\(owner):\(uuid()):\(number(0...9))")
  }

  mutating func features() -> Features { Features(rawValue: UInt16(number(0...0x1FF))) }

  mutating func mode() -> RadioMode { RadioMode.allCases.randomElement(using: &random)! }

  mutating func state() -> AdapterState { AdapterState.allCases.randomElement(using: &random)! }
}

extension RandomMessages {
  /// One of each type.
  mutating func clientMessages() -> [ClientMessage] {
    let (id, attribute) = attribute()
    return [
      .hello(
        Hello(
          clientVersion: optional { $0.text() }, bundleId: optional { $0.text() }, pid: optional { $0.number() },
          device: optional { $0.text() }, features: optional { $0.list { $0.text() } },
          restoreIdentifier: optional { $0.text() })),
      .scan(
        Scan(
          services: list { $0.spelled() }, allowDuplicates: bool(), solicitedServices: list { $0.spelled() },
          scannerKeys: list { $0.text() })),
      .stopScan(StopScan()), .connect(Connect(id: id, options: tree())), .cancel(Cancel(id: id)),
      .readRSSI(ReadRSSI(id: id)), .discoverServices(DiscoverServices(id: id, services: list { $0.uuid() })),
      .discoverIncludedServices(
        DiscoverIncludedServices(id: id, serviceId: attribute, services: list { $0.uuid() })),
      .discoverCharacteristics(
        DiscoverCharacteristics(id: id, serviceId: attribute, characteristics: list { $0.uuid() })),
      .discoverDescriptors(DiscoverDescriptors(id: id, characteristicId: attribute)),
      .read(ReadCharacteristic(id: id, characteristicId: attribute)),
      .write(
        WriteCharacteristic(
          id: id, characteristicId: attribute, value: bytes(), writeType: bool() ? .withResponse : .withoutResponse)),
      .readDescriptor(ReadDescriptor(id: id, descriptorId: attribute)),
      .writeDescriptor(WriteDescriptor(id: id, descriptorId: attribute, value: bytes())),
      .setNotify(SetNotify(id: id, characteristicId: attribute, enabled: bool())),
      .openL2CAP(OpenL2CAP(id: id, psm: UInt16(number(0...0xFFFF)))),
      .l2capWrite(L2CAPWrite(channelId: text(), value: bytes())), .l2capClose(L2CAPClose(channelId: text())),
      .retrievePeripherals(
        RetrievePeripherals(
          requestId: number(), peripheralIds: list { $0.peripheral() }, connectedWithServices: list { $0.uuid() })),
      .registerForConnectionEvents(RegisterForConnectionEvents(options: tree())),
      .setMockConfiguration(SetMockConfiguration(configuration: JSONText(.object(tree())))),
      .clearMockConfiguration(ClearMockConfiguration()), .status(Status()), .devices(Devices(watch: bool())),
      .setMode(SetMode(mode: optional { $0.mode() }, mockConfiguration: optional { $0.text() })),
      .enterPasskey(EnterPasskey(passkey: optional { _ in "012345" })), .setFault(SetFault(fault: fault())),
      .clearFaults(ClearFaults(number: optional { $0.number() })),
      .faults(Faults()),
      .l2capPause(L2CAPPause(channelId: text(), paused: bool())), .unknown(type: "x" + text()),
    ] + hostRequests()
  }

  /// One of each type.
  mutating func serverMessages() -> [ServerMessage] {
    let (id, attribute) = attribute()
    return gattMessages(id, attribute) + ownMessages() + hostEvents() + [
      .connectionRejected(
        ConnectionRejected(code: text(), message: text(), pid: number(), processName: text(), retry: bool())),
      didDiscover(), .didConnect(DidConnect(id: id)), .didFailConnect(DidFailConnect(id: id, error: error())),
      .didDisconnect(
        DidDisconnect(id: id, error: error(), timestamp: optional { $0.time() }, isReconnecting: bool())),
      .didUpdateName(DidUpdateName(id: id, name: text())),
      .didReadRSSI(DidReadRSSI(id: id, rssi: number(), error: error())),
      .didOpenL2CAP(DidOpenL2CAP(id: id, channelId: text(), psm: number(), error: error())),
      .l2capData(L2CAPData(channelId: text(), value: bytes())), .l2capClosed(L2CAPClosed(channelId: text())),
      .connectionEvent(ConnectionEvent(id: id, isConnected: bool(), name: optional { $0.text() })),
      .didRestoreState(
        DidRestoreState(
          peripheralIds: list { $0.peripheral() }, scanServices: list { $0.uuid() }, allowDuplicates: bool(),
          solicitedServices: list { $0.uuid() }, isScanning: bool(), peripherals: list { $0.restored() })),
      .didSetMockConfiguration(DidSetMockConfiguration(failure: optional { $0.text() })),
      .unknown(type: "x" + text()),
    ]
  }

  private mutating func gattMessages(_ id: PeripheralIdentifier, _ attribute: String) -> [ServerMessage] {
    let value: DescriptorValue? =
      switch number(0...3) {
      case 0: .bytes(bytes() + [1])
      case 1: .text(text())
      case 2: .number(number())
      default: nil
      }
    return [
      .didDiscoverServices(DidDiscoverServices(id: id, services: list { $0.service() }, error: error())),
      .didDiscoverIncludedServices(
        DidDiscoverIncludedServices(
          id: id, serviceId: attribute, includedServices: list { $0.service() }, error: error())),
      .didDiscoverCharacteristics(
        DidDiscoverCharacteristics(
          id: id, serviceId: attribute, characteristics: list { $0.characteristic() }, error: error())),
      .didDiscoverDescriptors(
        DidDiscoverDescriptors(
          id: id, characteristicId: attribute,
          descriptors: list { DiscoveredDescriptor(id: $0.text(), uuid: $0.uuid()) }, error: error())),
      .didUpdateValue(DidUpdateValue(id: id, characteristicId: attribute, value: bytes(), error: error())),
      .didWriteValue(DidWriteValue(id: id, characteristicId: attribute, error: error())),
      .didUpdateDescriptorValue(
        DidUpdateDescriptorValue(id: id, descriptorId: attribute, value: value, error: error())),
      .didWriteDescriptorValue(DidWriteDescriptorValue(id: id, descriptorId: attribute, error: error())),
      .didUpdateNotification(
        DidUpdateNotification(id: id, characteristicId: attribute, enabled: bool(), error: error())),
      .didModifyServices(DidModifyServices(id: id, serviceIds: list { $0.text() })),
      .didReadyToWriteWithoutResponse(DidReadyToWriteWithoutResponse(id: id)),
    ]
  }

  private mutating func ownMessages() -> [ServerMessage] {
    [
      .welcome(
        Welcome(
          serverVersion: text(), protocolVersion: number(), features: features(), mode: text(), state: state())),
      .state(DidUpdateState(state: state(), mode: optional { $0.text() })),
      .didSetMode(
        DidSetMode(mode: mode(), serving: text(), mockConfiguration: optional { $0.text() }, error: error())),
      .didUpdateMTU(DidUpdateMTU(id: peripheral(), maximumWriteValueLength: number())),
      .didReportStatus(
        DidReportStatus(
          serverVersion: text(), uptime: time(), socketPath: text(), policy: text(), radios: list { $0.radio() },
          mode: mode(), serving: text(), notice: optional { $0.text() }, mockConfiguration: optional { $0.text() },
          clients: list { $0.client() }, trafficActive: bool(), lastActivity: text())),
      .didRetrievePeripherals(
        DidRetrievePeripherals(
          requestId: number(),
          peripherals: list { RetrievedPeripheral(id: $0.peripheral(), name: $0.text()) })),
      .didTakeWrites(DidTakeWrites(id: peripheral(), count: number())),
      .didReportDevices(DidReportDevices(devices: list { $0.device() })),
      .didSetFault(DidSetFault(number: optional { $0.number() }, applied: number(0...9), error: error())),
      .didClearFaults(DidClearFaults(count: number(), error: error())),
      .didEnterPasskey(DidEnterPasskey(count: number(), error: error())),
      .didReportFaults(
        DidReportFaults(
          faults: list { FaultStatus(number: $0.number(), applied: $0.number(), rule: $0.fault()) })),
    ]
  }

  private mutating func restored() -> RestoredPeripheral {
    RestoredPeripheral(
      id: peripheral(), name: text(), isConnected: bool(),
      services: list {
        RestoredService(
          service: $0.service(),
          characteristics: $0.list {
            RestoredCharacteristic(characteristic: $0.characteristic(), isNotifying: $0.bool())
          })
      })
  }

  private mutating func service() -> DiscoveredService {
    DiscoveredService(id: text(), uuid: uuid(), isPrimary: bool())
  }

  private mutating func characteristic() -> DiscoveredCharacteristic {
    DiscoveredCharacteristic(
      id: text(), uuid: uuid(), properties: CharacteristicProperties(rawValue: UInt16(number(0...0xFFFF))))
  }

  private mutating func radio() -> RadioStatus {
    RadioStatus(
      kind: text(), adapter: optional { $0.text() }, address: optional { $0.text() }, state: state(),
      problem: optional { $0.text() })
  }

  private mutating func client() -> ClientStatus {
    ClientStatus(
      id: number(), pid: optional { $0.number() }, process: optional { $0.text() }, bundleId: optional { $0.text() },
      clientVersion: optional { $0.text() }, features: features(), isScanning: bool(),
      connectedPeripherals: list { $0.peripheral() }, connectedSince: time())
  }

  private mutating func device() -> DeviceActivity {
    DeviceActivity(
      id: peripheral(), name: text(), address: optional { $0.text() },
      operations: ["Read": number(), text(): number()], bytesRead: number(), bytesWritten: number(),
      notifications: number(), firstAt: time(), lastAt: time(), lastOperation: text(), lastDetail: text(),
      isActive: bool(), count: number(),
      clients: list { ActivityClient(bundleId: $0.optional { $0.text() }, pid: $0.optional { $0.number() }) })
  }

  /// One that makes sense.
  mutating func fault() -> FaultRule {
    while true {
      var rule = FaultRule(FaultOperation.allCases.randomElement(using: &random)!)
      if bool() { rule.id = peripheral() } else { rule.name = optional { $0.text() } }
      rule.service = optional { $0.uuid() }
      rule.characteristic = optional { $0.uuid() }
      rule.descriptor = optional { $0.uuid() }
      (rule.after, rule.every, rule.count) = (number(0...9), number(1...9), optional { $0.number(1...9) })
      rule.rate = Double.random(in: 0...1, using: &random)
      rule.seed = optional { $0.word() }
      rule.error = optional { $0.bool() ? .attribute(UInt8($0.number(1...255))) : .bluetooth($0.number(0...16))! }
      rule.delay = Double.random(in: 0...FaultRule.maximumDelay, using: &random)
      rule.jitter = bool() ? 0.5 : 0
      (rule.perLink, rule.lose, rule.drop, rule.changeServices) = (bool(), bool(), bool(), bool())
      if rule.problem == nil { return rule }
    }
  }

  private mutating func didDiscover() -> ServerMessage {
    let lists = (0..<3).map { _ in list { $0.spelled() } }
    return .didDiscover(
      DidDiscover(
        id: peripheral(), name: text(), rssi: number(-127...127), advertisement: advertisement(lists),
        spelling: UUIDSpelling(lists.joined())))
  }

  mutating func advertisement() -> AdvertisementData { advertisement((0..<3).map { _ in list { $0.spelled() } }) }

  private mutating func advertisement(_ lists: [[SpelledUUID]]) -> AdvertisementData {
    AdvertisementData(
      localName: optional { $0.text() + "!" }, isConnectable: optional { $0.bool() },
      serviceUUIDs: lists[0].map(\.uuid), overflowServiceUUIDs: lists[1].map(\.uuid),
      solicitedServiceUUIDs: lists[2].map(\.uuid), manufacturerData: optional { $0.bytes() + [0] },
      serviceData: bool() ? [uuid(): bytes(), uuid(): bytes()] : [:], txPowerLevel: optional { $0.number(-127...127) })
  }
}
