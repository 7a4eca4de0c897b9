public import BridgeIO
public import BridgeProtocol
public import Radio

/// A device in a virtual radio's world, seen from the air: what it advertises, and how it answers.
///
/// The radio keeps links, MTU, subscriptions, pairing and permissions; a peripheral is asked only for what is allowed.
/// Each completion is to be called once, at once or at any later time; the requests of one link are asked one after another.
@BridgeQueue
public protocol VirtualPeripheral: AnyObject {
  nonisolated var id: PeripheralIdentifier { get }

  /// The world it is in, set by `VirtualRadio.add`; to be kept weakly.
  var radio: VirtualRadio? { get set }

  // MARK: On air

  /// The GAP device name.
  var name: String? { get }

  /// dBm; asked for each advertisement.
  var rssi: Int { get }

  /// nil while it does not advertise. A change is told by `VirtualRadio.advertisementChanged`.
  var advertisement: AdvertisementData? { get }

  /// nil for the world's.
  var advertisingInterval: Duration? { get }

  /// Whether it can be heard at all: connects wait until it can. A change is told by `VirtualRadio.reachabilityChanged`.
  var isReachable: Bool { get }

  var isConnectable: Bool { get }

  // MARK: The link

  /// A central wants a link; an error refuses it.
  func connect(completion: @escaping RadioCompletion<Void>)

  /// The link stands.
  func didConnect()

  /// The link is gone, whoever ended it, or the attempt at one is; nobody is subscribed any more.
  func didDisconnect()

  func readRSSI(completion: @escaping RadioCompletion<Int>)

  /// The ATT MTU that it agrees to, 23 to 517.
  var maximumMTU: Int { get }

  var pairing: VirtualPairing { get }

  // MARK: Attributes

  /// A change is told by `VirtualRadio.servicesChanged`.
  var services: [VirtualService] { get }

  /// The central discovers services; an error refuses it.
  func discoverServices(completion: @escaping RadioCompletion<Void>)

  /// The central discovers what is inside an attribute: why it cannot, or nil.
  func refusal(of step: DiscoveryStep) -> BluetoothError?

  /// The value from `offset` on, as much of it as there is: a long value is asked for in pieces.
  func read(_ attribute: VirtualAttribute, offset: Int, completion: @escaping RadioCompletion<[UInt8]>)

  /// A whole value. Without response, an error is told to nobody.
  func write(
    _ value: [UInt8], to attribute: VirtualAttribute, withResponse: Bool, completion: @escaping RadioCompletion<Void>)

  /// The central subscribes, or no longer; not called for what ends with the link.
  func setNotify(
    _ subscription: VirtualSubscription, _ characteristic: VirtualAttribute, completion: @escaping RadioCompletion<Void>
  )

  /// Room again after `VirtualRadio.notify` gave false.
  func isReadyToNotify()

  // MARK: L2CAP

  /// What a channel to that PSM needs; nil if nothing listens there.
  func securityOfL2CAPChannel(psm: UInt16) -> MockSecurityLevel?

  /// Gives the central's end of a new channel: `VirtualChannel.pair`.
  func openL2CAPChannel(psm: UInt16, completion: @escaping RadioCompletion<VirtualChannel>)
}

/// What a client's configuration of a characteristic says; the raw values of 2902.
public enum VirtualSubscription: UInt8, Hashable, Sendable {
  case none = 0
  case notify = 1
  case indicate = 2
}

/// How a peripheral pairs.
public struct VirtualPairing: Hashable, Sendable {
  public var mode: MockPairingMode
  /// Empty: any six digits will do.
  public var passkey: String
  /// What is typed when it is shown; nil for what the radio's options or its pairing delegate say.
  public var entry: PasskeyEntry?
  /// How long it takes before it goes on or fails.
  public var duration: Duration

  public init(
    mode: MockPairingMode, passkey: String = "", entry: PasskeyEntry? = nil, duration: Duration = .zero
  ) {
    self.mode = mode
    self.passkey = passkey
    self.entry = entry
    self.duration = duration
  }
}

extension VirtualPeripheral {
  public var advertisingInterval: Duration? { nil }
  public var isReachable: Bool { true }
  public var isConnectable: Bool { true }
  public var maximumMTU: Int { 517 }
  public var pairing: VirtualPairing { VirtualPairing(mode: .justWorks) }
  public func connect(completion: @escaping RadioCompletion<Void>) { completion(.success(())) }
  public func didConnect() {}
  public func didDisconnect() {}
  public func readRSSI(completion: @escaping RadioCompletion<Int>) { completion(.success(rssi)) }
  public func discoverServices(completion: @escaping RadioCompletion<Void>) { completion(.success(())) }
  public func refusal(of step: DiscoveryStep) -> BluetoothError? { nil }
  public func setNotify(
    _ subscription: VirtualSubscription, _ characteristic: VirtualAttribute,
    completion: @escaping RadioCompletion<Void>
  ) { completion(.success(())) }
  public func isReadyToNotify() {}
  public func securityOfL2CAPChannel(psm: UInt16) -> MockSecurityLevel? { nil }
  public func openL2CAPChannel(psm: UInt16, completion: @escaping RadioCompletion<VirtualChannel>) {
    completion(.failure(.connectionFailed))
  }
}
