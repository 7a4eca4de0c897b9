import EmulationTestSupport
import TestSupport
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothEmulator

/// What the emulator's configuration and the later parts of its design promise.
@Suite(.choosesService)
struct FeatureTests {
  let bus = EmulatorBus.shared

  init() {
    bus.reset()
    bus.configure(.instant)
  }

  private func open(_ change: (inout EmulatorConfiguration) -> Void = { _ in }) async throws -> (
    CentralApp, PeripheralApp
  ) {
    var configuration = EmulatorConfiguration.instant
    change(&configuration)
    bus.configure(configuration)
    let peripheral = PeripheralApp()
    try await peripheral.open(named: "Device")
    let central = CentralApp()
    try await central.state(.poweredOn)
    return (central, peripheral)
  }

  private func explored(_ central: CentralApp) async throws -> (CBPeripheral, [CBCharacteristic]) {
    let found = try await central.find()
    try await central.connect(found)
    let service = try #require(try await central.services(of: found).first)
    return (found, try await central.characteristics(of: service))
  }

  @Test func theBusChangedTheRulesOfManagersElsewhere() {
    #expect(ServiceEndpoint.current.peripheralRules.advertisesAnything)
    #expect(!ServiceEndpoint.socket(at: "/nowhere").peripheralRules.advertisesAnything)
    bus.stop()
    #expect(!ServiceEndpoint.current.peripheralRules.advertisesAnything)
  }

  @Test func theFirstStateIsNotToldBeforeTheAppHasItsManager() async throws {
    let inbox = Inbox<Bool>()
    let apps = (0..<50).map { _ in KeepingApp(inbox) }
    for _ in apps { #expect(try await inbox.first("state") { $0 }) }
    withExtendedLifetime(apps) { bus.stop() }
  }

  @Test func presetsAreTheDesigns() {
    let standard = EmulatorConfiguration.default
    #expect(standard.stateUpdateDelay == 0.1 && standard.connectionDelay == 0.2 && standard.readDelay == 0.05)
    #expect(standard.rssiRange == -80...(-40) && !standard.backgroundModeEnabled)
    let instant = EmulatorConfiguration.instant
    #expect(instant.stateUpdateDelay == 0 && instant.connectionDelay == 0 && instant.notificationDelay == 0)
    #expect(EmulatorConfiguration.unreliable.simulateConnectionFailure)
    #expect(EmulatorConfiguration.slow.defaultMTU == 23)
  }

  @Test(arguments: [CBManagerState.poweredOff, .unauthorized, .unsupported])
  func theRadioCanBeInAnotherStateFromTheBeginning(_ state: CBManagerState) async throws {
    var configuration = EmulatorConfiguration.instant
    configuration.state = state
    bus.configure(configuration)
    let (central, peripheral) = (CentralApp(), PeripheralApp())
    try await central.state(state)
    try await peripheral.state(state)
    configuration.state = .poweredOn
    bus.configure(configuration)
    try await peripheral.open(named: "Device")
    try await central.state(.poweredOn)
    _ = try await central.find(named: "Device")
    bus.stop()
  }

  @Test func theRadioCanGoOffAndComeBack() async throws {
    let (central, peripheral) = try await open()
    let (found, _) = try await explored(central)
    var configuration = EmulatorConfiguration.instant
    configuration.state = .poweredOff
    bus.configure(configuration)
    try await central.state(.poweredOff)
    try await peripheral.state(.poweredOff)
    #expect(found.state == .disconnected)
    configuration.state = .poweredOn
    bus.configure(configuration)
    try await central.state(.poweredOn)
    try await peripheral.state(.poweredOn)
    bus.stop()
  }

  @Test func delaysHoldOperationsBack() async throws {
    let (central, peripheral) = try await open {
      $0.connectionDelay = 0.05
      $0.readDelay = 0.05
      $0.disconnectionDelay = 0.05
    }
    let found = try await central.find()
    let start = ContinuousClock.now
    try await central.connect(found)
    #expect(ContinuousClock.now - start >= .milliseconds(50))
    central.manager.cancelPeripheralConnection(found)
    #expect(found.state == .disconnecting)
    _ = try await central.disconnection()
    #expect(ContinuousClock.now - start >= .milliseconds(100))
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func anMTUIsAgreedOn() async throws {
    let (central, peripheral) = try await open { $0.defaultMTU = 100 }
    let (found, characteristics) = try await explored(central)
    #expect(found.maximumWriteValueLength(for: .withoutResponse) == 97)
    try await central.setNotify(true, characteristics[0])
    let subscriber = try await peripheral.inbox.first("subscription") {
      if case .subscribed(let central, _) = $0 { central } else { nil }
    }
    #expect(subscriber.maximumUpdateValueLength == 97)
    bus.stop()
  }

  @Test func signalsStayInTheirRange() async throws {
    let (central, peripheral) = try await open { ($0.rssiRange, $0.rssiVariation) = (-70...(-60), 40) }
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    for _ in 0..<5 { #expect((-70...(-60)).contains(try await central.discovery().rssi)) }
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func duplicatesCanBeSwitchedOff() async throws {
    let (central, peripheral) = try await open { $0.honorAllowDuplicatesOption = false }
    let other = CentralApp()
    try await other.state(.poweredOn)
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    _ = try await central.discovery()
    let last = PeripheralApp()
    try await last.open(named: "Last")
    // Nothing came of the first one meanwhile.
    let next = try await central.discovery()
    #expect(next.data[CBAdvertisementDataLocalNameKey] as? String == "Last")
    withExtendedLifetime((peripheral, other)) { bus.stop() }
  }

  @Test func anAppInTheBackgroundFindsOnlyWhatItNames() async throws {
    let (central, peripheral) = try await open { $0.backgroundModeEnabled = true }
    central.manager.scanForPeripherals(withServices: nil)
    central.manager.scanForPeripherals(withServices: [PeripheralApp.serviceUUID])
    _ = try await central.discovery()
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func fullQueuesTellWhenThereIsRoom() async throws {
    let (central, peripheral) = try await open {
      $0.simulateBackpressure = true
      $0.maxNotificationQueue = 2
      $0.backpressureProcessingDelay = 0.01
    }
    let characteristic = try await explored(central).1[0]
    try await central.setNotify(true, characteristic)
    try await peripheral.inbox.first("subscription") { if case .subscribed = $0 { () } else { nil } }
    func update(_ byte: UInt8) -> Bool {
      peripheral.manager.updateValue(Data([byte]), for: peripheral.characteristic, onSubscribedCentrals: nil)
    }
    #expect(update(1) && update(2) && !update(3))
    try await peripheral.inbox.first("room") { if case .ready = $0 { () } else { nil } }
    #expect(update(4))
    var received: [Data?] = []
    for _ in 0..<3 { received.append(try await central.value(of: characteristic)) }
    #expect(received == [Data([1]), Data([2]), Data([4])])
    bus.stop()
  }

  @Test(arguments: [true, false]) func pairingIsSimulated(_ succeeds: Bool) async throws {
    let (central, peripheral) = try await open {
      $0.simulatePairing = true
      $0.pairingDelay = 0.02
      $0.pairingSucceeds = succeeds
    }
    let secret = try await explored(central).1[1]
    let start = ContinuousClock.now
    let error = await failure(of: { try await central.read(secret) })
    #expect(ContinuousClock.now - start >= .milliseconds(20))
    #expect((error as? CBATTError)?.code == (succeeds ? nil : .insufficientEncryption))
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func withoutSimulatedPairingWhatIsRequiredIsRefused() async throws {
    let (central, peripheral) = try await open { $0.requirePairing = true }
    let secret = try await explored(central).1[1]
    let error = await failure(of: { try await central.read(secret) })
    #expect((error as? CBATTError)?.code == .insufficientEncryption)
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func connectionEventsAreToldUnlessSwitchedOff() async throws {
    let (central, peripheral) = try await open()
    central.manager.registerForConnectionEvents(options: [.serviceUUIDs: [PeripheralApp.serviceUUID]])
    let found = try await central.find()
    try await central.connect(found)
    central.manager.cancelPeripheralConnection(found)
    let event = try await central.inbox.first("end of a connection") {
      if case .connectionEvent(.peerDisconnected, let peripheral) = $0 { peripheral } else { nil }
    }
    #expect(event === found)
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func connectionEventsCanBeSwitchedOff() async throws {
    let (central, peripheral) = try await open { $0.fireConnectionEvents = false }
    central.manager.registerForConnectionEvents(options: [.serviceUUIDs: [PeripheralApp.serviceUUID]])
    let found = try await central.find()
    try await central.connect(found)
    central.manager.cancelPeripheralConnection(found)
    var events = 0
    _ = try await central.inbox.first("end of the connection") { (event) -> Bool? in
      if case .connectionEvent = event { events += 1 }
      if case .disconnected = event { return true }
      return nil
    }
    // What would have been told of the end came before this.
    try await central.connect(found)
    #expect(events == 0)
    for case .connectionEvent in central.inbox.pending { Issue.record("a connection event") }
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test(arguments: [true, false]) func solicitedServicesWidenAScanUnlessSwitchedOff(_ honored: Bool) async throws {
    let (central, peripheral) = try await open { $0.honorSolicitedServiceUUIDs = honored }
    peripheral.manager.stopAdvertising()
    let solicited = CBUUID(string: "1812")
    try await peripheral.advertise([
      CBAdvertisementDataLocalNameKey: "Solicitor", CBAdvertisementDataSolicitedServiceUUIDsKey: [solicited],
    ])
    let other = PeripheralApp()
    try await other.state(.poweredOn)
    try await other.advertise([
      CBAdvertisementDataLocalNameKey: "Other", CBAdvertisementDataServiceUUIDsKey: [solicited],
    ])
    central.manager.scanForPeripherals(
      withServices: [solicited],
      options: [
        CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [solicited],
        CBCentralManagerScanOptionAllowDuplicatesKey: true,
      ])
    // Each advertises every 10 ms.
    var names: Set<String> = []
    for _ in 0..<10 {
      if let name = try await central.discovery().data[CBAdvertisementDataLocalNameKey] as? String {
        names.insert(name)
      }
    }
    #expect(names == (honored ? ["Other", "Solicitor"] : ["Other"]))
    bus.stop()
  }

  @Test func fullQueuesOfWritesTellWhenThereIsRoom() async throws {
    let (central, peripheral) = try await open {
      $0.simulateBackpressure = true
      $0.maxWriteWithoutResponseQueue = 3
      $0.backpressureProcessingDelay = 0.02
    }
    let (found, characteristics) = try await explored(central)
    var count = 0
    while found.canSendWriteWithoutResponse {
      found.writeValue(Data([UInt8(count)]), for: characteristics[0], type: .withoutResponse)
      count += 1
    }
    #expect(count == 3)
    try await central.inbox.first("room") { if case .ready = $0 { () } else { nil } }
    #expect(found.canSendWriteWithoutResponse)
    for number in 0..<3 {
      let value = try await peripheral.inbox.first("write") {
        if case .written(let values) = $0 { values } else { nil }
      }
      #expect(value == [Data([UInt8(number)])])
    }
    bus.stop()
  }

  @Test func aPeripheralThatWasKilledComesBackUnderItsIdentifier() async throws {
    let options: [String: Any] = [CBPeripheralManagerOptionRestoreIdentifierKey: "my-peripheral"]
    let first = PeripheralApp(options: options)
    try await first.open(named: "Device")
    let central = CentralApp()
    try await central.state(.poweredOn)
    let found = try await central.find()
    try await central.connect(found)
    bus.terminate(first.manager)
    #expect((try await central.disconnection() as? CBError)?.code == .peripheralDisconnected)
    let second = PeripheralApp(options: options)
    try await second.inbox.first("restored state") { if case .willRestore = $0 { () } else { nil } }
    try await second.state(.poweredOn)
    #expect(second.manager.isAdvertising)
    // The object that the central has is the device still.
    try await central.connect(found)
    #expect(try await central.services(of: found).map(\.uuid) == [PeripheralApp.serviceUUID])
    withExtendedLifetime(first) { bus.stop() }
  }

  @Test func notificationsOfTheSystemAreAllowed() async throws {
    let (central, peripheral) = try await open()
    let found = try await central.find()
    #expect(!found.ancsAuthorized)
    bus.setANCSAuthorized(true, for: found)
    #expect(
      try await central.inbox.first("ANCS") { if case .ancs(let peripheral) = $0 { peripheral } else { nil } } === found
    )
    #expect(found.ancsAuthorized)
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func aCentralThatWasKilledGetsBackWhatItHeld() async throws {
    let peripheral = PeripheralApp()
    try await peripheral.open(named: "Device")
    let options: [String: Any] = [CBCentralManagerOptionRestoreIdentifierKey: "my-central"]
    let first = CentralApp(options: options)
    try await first.state(.poweredOn)
    let found = try await first.find()
    try await first.connect(found)
    bus.terminate(first.manager)
    let second = CentralApp(options: options)
    let restored = try await second.inbox.first("restored state") {
      if case .willRestore(let state) = $0 {
        state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
      } else {
        nil
      }
    }
    #expect(restored.map(\.identifier) == [found.identifier])
    try await second.state(.poweredOn)
    #expect(restored[0].state == .connected)
    withExtendedLifetime((peripheral, first)) { bus.stop() }
  }

  @Test func channelsCarryBytes() async throws {
    let (central, peripheral) = try await open()
    peripheral.manager.publishL2CAPChannel(withEncryption: true)
    let psm = try await peripheral.inbox.first("PSM") {
      if case .published(let psm, nil) = $0 { psm } else { nil }
    }
    let (found, _) = try await explored(central)
    found.openL2CAPChannel(psm)
    let channel = try await central.inbox.first("channel") {
      if case .channel(let channel?, nil) = $0 { channel } else { nil }
    }
    let other = try await peripheral.inbox.first("channel") {
      if case .channel(let channel?, nil) = $0 { channel } else { nil }
    }
    #expect(channel.psm == psm && other.psm == psm)
    let (output, input) = (try #require(channel.outputStream), try #require(other.inputStream))
    output.open()
    input.open()
    let bytes = Array("through the channel".utf8)
    #expect(output.write(bytes, maxLength: bytes.count) == bytes.count)
    var read = [UInt8](repeating: 0, count: 64)
    let count = input.read(&read, maxLength: read.count)
    #expect(Array(read.prefix(max(count, 0))) == bytes)
    bus.stop()
  }

  @Test func channelsCanBeUnsupported() async throws {
    let (central, peripheral) = try await open { $0.l2capSupported = false }
    peripheral.manager.publishL2CAPChannel(withEncryption: false)
    let error = try await peripheral.inbox.first("refusal") {
      if case .published(_, let error?) = $0 { Answer(error) } else { nil }
    }.error
    #expect((error as? CBError)?.code == .operationNotSupported)
    withExtendedLifetime(central) { bus.stop() }
  }

  @Test func extendedAdvertisingIsTakenAndChangesNothing() async throws {
    let peripheral = PeripheralApp()
    try await peripheral.state(.poweredOn)
    try await peripheral.advertise([
      CBAdvertisementDataExtendedKey: true, CBAdvertisementDataPrimaryPHYKey: CBPHY.le2M,
      CBAdvertisementDataLocalNameKey: "Extended", CBAdvertisementDataManufacturerDataKey: Data([1, 2, 3]),
    ])
    let central = CentralApp()
    try await central.state(.poweredOn)
    central.manager.scanForPeripherals(withServices: nil)
    let found = try await central.discovery(named: "Extended")
    #expect(found.data[CBAdvertisementDataManufacturerDataKey] as? Data == Data([1, 2, 3]))
    #expect(found.data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber == -8)
    bus.stop()
  }

  @Test func networkModeMeetsOnASocket() async throws {
    let port = UInt16.random(in: 20000...60000)
    bus.enableNetworkMode(port: port)
    let peripheral = PeripheralApp()
    try await peripheral.open(named: "Elsewhere")
    let central = CentralApp()
    try await central.state(.poweredOn)
    let found = try await central.find(named: "Elsewhere")
    try await central.connect(found)
    #expect(FileManager.default.fileExists(atPath: EmulatorBus.socketPath(port: port)))
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func theBusDoesWhatManagersDo() async throws {
    let (central, peripheral) = try await open()
    bus.startScanning(central: central.manager, services: [PeripheralApp.serviceUUID])
    let found = try await central.discovery().peripheral
    central.keep(found)
    found.delegate = central
    bus.stopScanning(central: central.manager)
    bus.connect(central: central.manager, peripheral: found)
    try await central.connection()
    let service = try #require(try await central.services(of: found).first)
    let characteristic = try await central.characteristics(of: service)[0]
    bus.sendRead(from: found, characteristic: characteristic)
    #expect(try await central.value(of: characteristic) == Data("Hello".utf8))
    bus.disconnect(central: central.manager, peripheral: found)
    #expect(try await central.disconnection() == nil)
    bus.unregister(peripheral: peripheral.manager)
    bus.stop()
  }
}

/// Keeps its manager as apps do, and tells whether it had it when the manager called.
///
/// `@unchecked Sendable` is sound: the manager is behind the lock.
private final class KeepingApp: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var manager: CBCentralManager?
  private let inbox: Inbox<Bool>

  init(_ inbox: Inbox<Bool>) {
    self.inbox = inbox
    super.init()
    let made = CBCentralManager(delegate: self, queue: .global())
    lock.withLock { manager = made }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { inbox.add(lock.withLock { manager === central }) }
}
