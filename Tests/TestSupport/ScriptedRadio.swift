public import BridgeIO
public import BridgeProtocol
public import Radio

/// A radio without air: notes what it is asked, answers from devices that a test gives it, and reports what a test says.
///
/// Each answer comes in a later turn. A test that wants to answer itself puts its own closure in place of one.
@BridgeQueue
public final class ScriptedRadio: Radio {
  public enum Command: Hashable, Sendable {
    case start
    case stop
    case scan(RadioScan?)
    case connect(PeripheralIdentifier)
    case disconnect(PeripheralIdentifier)
    case discoverServices(PeripheralIdentifier)
    case read(AttributeHandle)
    case write([UInt8], AttributeHandle)
    case writeWithoutResponse([UInt8], AttributeHandle)
    case setNotify(Bool, AttributeHandle)
    case readRSSI(PeripheralIdentifier)
    case openL2CAPChannel(UInt16)
  }

  public struct Device {
    public var name: String?
    public var address: String?
    public var database: GATTDatabase
    public var values: [AttributeHandle: Result<[UInt8], BluetoothError>] = [:]
    public var rssi: Result<Int, BluetoothError> = .success(-60)
    public var isConnected = false
    public init(name: String?, address: String? = nil, database: GATTDatabase = GATTDatabase(services: [])) {
      self.name = name
      self.address = address
      self.database = database
    }
  }

  public weak var observer: (any RadioObserver)?
  public private(set) var state = AdapterState.unknown
  private let stateAtStart: AdapterState
  public private(set) var commands: [Command] = []
  public var devices: [PeripheralIdentifier: Device] = [:]
  public var canSend = true
  public var writeLength = 20

  /// Answers to connects; by default they succeed.
  public var onConnect: (@BridgeQueue (PeripheralIdentifier) -> Void)?
  public var onDisconnect: (@BridgeQueue (PeripheralIdentifier) -> Void)?
  public var onDiscover: (@BridgeQueue (PeripheralIdentifier, @escaping RadioCompletion<GATTDatabase>) -> Void)?
  public var onRead: (@BridgeQueue (AttributeHandle, @escaping RadioCompletion<[UInt8]>) -> Void)?
  public var onWrite: (@BridgeQueue (AttributeHandle, @escaping RadioCompletion<Void>) -> Void)?
  public var onSetNotify: (@BridgeQueue (Bool, AttributeHandle, @escaping RadioCompletion<Void>) -> Void)?
  public var onOpenL2CAP: (@BridgeQueue (UInt16, @escaping RadioCompletion<any RadioL2CAPChannel>) -> Void)?

  private let kind: String
  public var adapter: String?
  public var configuration = MockConfiguration(name: "scripted") { didSet { adopt(configuration) } }

  public init(state: AdapterState = .poweredOn, kind: String = "scripted") {
    stateAtStart = state
    self.kind = kind
    adapter = kind == "mock" ? nil : "hci9"
  }

  public var description: RadioDescription { RadioDescription(kind: kind, adapter: adapter) }

  private func note(_ command: Command) { commands.append(command) }

  /// What was asked since the last time.
  public func takeCommands() -> [Command] {
    defer { commands = [] }
    return commands
  }

  public func start() {
    note(.start)
    setState(stateAtStart)
  }

  public func stop(completion: @escaping @BridgeQueue () -> Void) {
    note(.stop)
    BridgeQueue.async { completion() }
  }

  public func setState(_ new: AdapterState) {
    state = new
    observer?.radioDidUpdateState(self)
  }

  // MARK: Scanning and connections

  public func scan(_ scan: RadioScan?) { note(.scan(scan)) }

  public func knows(_ peripheral: PeripheralIdentifier) -> Bool { devices[peripheral] != nil }
  public func name(of peripheral: PeripheralIdentifier) -> String? { devices[peripheral]?.name }
  public func address(of peripheral: PeripheralIdentifier) -> String? { devices[peripheral]?.address }
  public func isConnected(_ peripheral: PeripheralIdentifier) -> Bool { devices[peripheral]?.isConnected ?? false }

  public func connectedPeripherals(with services: [BluetoothUUID]) -> [PeripheralIdentifier] {
    devices.filter { $0.value.isConnected && $0.value.database.services.contains { services.contains($0.uuid) } }
      .map(\.key)
  }

  public func connect(_ peripheral: PeripheralIdentifier) {
    note(.connect(peripheral))
    if let onConnect { return onConnect(peripheral) }
    BridgeQueue.async { self.completeConnect(peripheral) }
  }

  public func completeConnect(_ peripheral: PeripheralIdentifier) {
    devices[peripheral]?.isConnected = true
    observer?.radio(self, didConnect: peripheral)
  }

  public func disconnect(_ peripheral: PeripheralIdentifier) {
    note(.disconnect(peripheral))
    if let onDisconnect { return onDisconnect(peripheral) }
    BridgeQueue.async { self.loseLink(peripheral, nil) }
  }

  public func loseLink(_ peripheral: PeripheralIdentifier, _ error: BluetoothError?) {
    devices[peripheral]?.isConnected = false
    observer?.radio(self, didDisconnect: peripheral, error: error)
  }

  // MARK: GATT

  public func discoverServices(
    of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<GATTDatabase>
  ) {
    note(.discoverServices(peripheral))
    if let onDiscover { return onDiscover(peripheral, completion) }
    BridgeQueue.async {
      completion(self.devices[peripheral].map { .success($0.database) } ?? .failure(.notConnected))
    }
  }

  public func read(
    _ attribute: AttributeHandle, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<[UInt8]>
  ) {
    note(.read(attribute))
    if let onRead { return onRead(attribute, completion) }
    BridgeQueue.async { completion(self.devices[peripheral]?.values[attribute] ?? .success([])) }
  }

  public func write(
    _ value: [UInt8], to attribute: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    note(.write(value, attribute))
    if let onWrite { return onWrite(attribute, completion) }
    BridgeQueue.async { completion(.success(())) }
  }

  public func writeWithoutResponse(
    _ value: [UInt8], to characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    note(.writeWithoutResponse(value, characteristic))
    BridgeQueue.async { completion(.success(())) }
  }

  public func canSendWriteWithoutResponse(to peripheral: PeripheralIdentifier) -> Bool { canSend }

  public func makeReady(_ peripheral: PeripheralIdentifier) {
    canSend = true
    observer?.radio(self, isReadyToWriteWithoutResponse: peripheral)
  }

  public func maximumWriteLength(of peripheral: PeripheralIdentifier) -> Int { writeLength }

  public func setNotify(
    _ enabled: Bool, characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    note(.setNotify(enabled, characteristic))
    if let onSetNotify { return onSetNotify(enabled, characteristic, completion) }
    BridgeQueue.async { completion(.success(())) }
  }

  public func notify(_ value: [UInt8], _ characteristic: AttributeHandle, of peripheral: PeripheralIdentifier) {
    observer?.radio(self, didNotify: value, characteristic: characteristic, of: peripheral)
  }

  public func readRSSI(of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Int>) {
    note(.readRSSI(peripheral))
    BridgeQueue.async { completion(self.devices[peripheral]?.rssi ?? .failure(.notConnected)) }
  }

  // MARK: L2CAP

  public func openL2CAPChannel(
    psm: UInt16, to peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<any RadioL2CAPChannel>
  ) {
    note(.openL2CAPChannel(psm))
    if let onOpenL2CAP { return onOpenL2CAP(psm, completion) }
    BridgeQueue.async { completion(.success(ScriptedChannel(psm: psm))) }
  }

  // MARK: Reports

  /// A received advertisement; a device not known yet is known from now on.
  public func advertise(
    _ peripheral: PeripheralIdentifier, _ data: AdvertisementData, rssi: Int = -50, revision: UInt64 = 1
  ) {
    if devices[peripheral] == nil { devices[peripheral] = Device(name: data.localName) }
    observer?.radio(
      self,
      didReceive: Advertisement(
        peripheral: peripheral, name: devices[peripheral]?.name, rssi: rssi, data: data, revision: revision))
  }
}
