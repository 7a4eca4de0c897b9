public import BridgeIO
public import BridgeProtocol

/// One radio: a real adapter, or a world of virtual peripherals. The seam between sessions and hardware.
///
/// - Everything is called, and calls back, on the bridge queue. Nothing blocks.
/// - A completion is called exactly once, never inside the call that takes it. Completions and events of one
///   peripheral come in the order in which the radio saw their causes.
/// - Users are not counted here: the caller asks once for what several sessions want, and lets go once.
/// - Attributes are named by handles of the table that `discoverServices` gave last; others are refused with
///   ATT 0x01. Sizes are checked by the radio: a value over 512 bytes is refused with ATT 0x0D.
/// - When `state` leaves poweredOn, links and pending connects end with it, without events of their own; what was pending
///   on them fails as below, before `radioDidUpdateState`.
/// - When a link ends, what was pending on it fails with `.peripheralDisconnected` (or `.operationCancelled` after
///   `disconnect`) before the disconnect event.
@BridgeQueue
public protocol Radio: AnyObject {
  /// Told of everything that nobody asked for. Set before `start`.
  var observer: (any RadioObserver)? { get set }

  var state: AdapterState { get }

  /// What is known of the hardware, for people: `bridge status`.
  var description: RadioDescription { get }

  func start()

  /// Stops scanning, ends the links it made, releases what it holds. `completion` is called when all is done, or
  /// after the radio's own bound of a few seconds.
  func stop(completion: @escaping @BridgeQueue () -> Void)

  // MARK: Scanning

  /// Replaces the scan; nil ends it. Kept as a wish while the radio is off, and resumed with it.
  func scan(_ scan: RadioScan?)

  // MARK: Connections

  /// Whether the identifier names a device that a connect can be tried on: seen, or remembered from an earlier run.
  func knows(_ peripheral: PeripheralIdentifier) -> Bool

  /// The name to show for a peripheral, as far as known.
  func name(of peripheral: PeripheralIdentifier) -> String?

  /// The address to show to the operator (`bridge devices`), never to clients. Upper case with colons.
  func address(of peripheral: PeripheralIdentifier) -> String?

  /// Connected to this host, by anyone.
  func isConnected(_ peripheral: PeripheralIdentifier) -> Bool

  /// Those connected to this host, by anyone, with any of these services, as far as that is known.
  func connectedPeripherals(with services: [BluetoothUUID]) -> [PeripheralIdentifier]

  /// Wants a link, and goes on trying until it stands or `disconnect` is called. Ends in `didConnect`, or in
  /// `didFailToConnect` where trying on is pointless. An existing link, also one made by others, succeeds at once.
  func connect(_ peripheral: PeripheralIdentifier)

  /// Withdraws the wish or lets go of the link: always ends in `didDisconnect` with no error. A link that others had
  /// made before is left standing.
  func disconnect(_ peripheral: PeripheralIdentifier)

  // MARK: GATT client

  /// The peripheral's attributes: all of them, whatever was asked for, as soon as they are resolved.
  func discoverServices(of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<GATTDatabase>)

  /// Tells of a step of discovery that the attribute table answers already, so that a radio with faults can delay or
  /// refuse it.
  ///
  /// - Returns: false if nothing is in the way; `completion` is not called then.
  func holdsDiscovery(
    _ step: DiscoveryStep, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Void>
  ) -> Bool

  /// Why the radio refuses what is asked of an attribute that is in no table; nil for the usual reason.
  ///
  /// - Parameter id: as the client writes it.
  func refusal(ofUnknown id: String, of peripheral: PeripheralIdentifier) -> BluetoothError?

  /// Reads a characteristic's or descriptor's value, by its declaration's handle. Long values whole, up to 512 bytes.
  func read(
    _ attribute: AttributeHandle, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<[UInt8]>)

  /// Writes a characteristic or descriptor with response, long values too.
  func write(
    _ value: [UInt8], to attribute: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>)

  /// Writes a characteristic without response. `completion` says that the radio has taken it, or why it was dropped.
  func writeWithoutResponse(
    _ value: [UInt8], to characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>)

  /// Whether a write without response would be taken at once. Once false, `isReadyToWriteWithoutResponse` follows.
  func canSendWriteWithoutResponse(to peripheral: PeripheralIdentifier) -> Bool

  /// The largest value a single write without response can carry (ATT MTU - 3), or 20 while unknown.
  func maximumWriteLength(of peripheral: PeripheralIdentifier) -> Int

  func setNotify(
    _ enabled: Bool, characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>)

  /// dBm, of a connected peripheral.
  func readRSSI(of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Int>)

  // MARK: L2CAP

  /// Opens an LE credit-based channel. No time limit of its own: the caller cancels by closing what comes late.
  func openL2CAPChannel(
    psm: UInt16, to peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<any RadioL2CAPChannel>)
}

extension Radio {
  public func holdsDiscovery(
    _ step: DiscoveryStep, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Void>
  ) -> Bool { false }

  public func refusal(ofUnknown id: String, of peripheral: PeripheralIdentifier) -> BluetoothError? { nil }
}

public typealias RadioCompletion<Value> = @BridgeQueue (Result<Value, BluetoothError>) -> Void

/// What the sessions together want reported.
public struct RadioScan: Hashable, Sendable {
  /// Report each advertisement, not only new content.
  public var allowDuplicates: Bool
  public init(allowDuplicates: Bool) { self.allowDuplicates = allowDuplicates }
}

/// For people.
public struct RadioDescription: Hashable, Sendable {
  /// `bluez`, `mock`.
  public var kind: String
  /// `hci0`.
  public var adapter: String?
  public var address: String?
  /// What is in the way, in a sentence that says what to do; nil when nothing is.
  public var problem: String?
  public init(kind: String, adapter: String? = nil, address: String? = nil, problem: String? = nil) {
    self.kind = kind
    self.adapter = adapter
    self.address = address
    self.problem = problem
  }
}
