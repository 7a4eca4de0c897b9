public import BridgeIO
public import BridgeProtocol

/// Where clients can be peripherals: a world of their own, or an adapter that serves attributes and advertises.
@BridgeQueue
public protocol PeripheralRole: AnyObject {
  /// Makes a peripheral that nobody hears yet.
  ///
  /// - Parameters:
  ///   - device: where it lives; clients on the same device do not hear it.
  ///   - name: makes its identifier, together with the device's: the same for the same two, while no other has it.
  func makePeripheral(on device: HostDevice, name: String, delegate: any HostedPeripheralDelegate)
    -> any HostedPeripheral
}

/// A world in which each device of a client hears what clients on other devices host.
@BridgeQueue
public protocol HostedWorld: PeripheralRole {
  /// Of all its radios. When it leaves poweredOn links end; below poweredOff everything published is gone.
  var state: AdapterState { get set }

  /// The device's radio: what is connected through it has the device for its central. Kept by the caller, until `remove`.
  func makeRadio(for device: HostDevice) -> any Radio

  /// The device is gone.
  func removeRadio(for device: HostDevice)
}

/// Who hosts or hears: one computer, as far as peripherals can tell.
public struct HostDevice: Hashable, Sendable {
  /// Makes identifiers: the same for the same device, whenever it comes, and for no other at the same time.
  public var identity: String
  /// The device name that its peripherals have.
  public var name: String?

  public init(identity: String, name: String?) {
    self.identity = identity
    self.name = name
  }
}

/// A peripheral that a client hosts.
///
/// Numbers of services and characteristics are the client's. Completions are called exactly once, never inside the call.
@BridgeQueue
public protocol HostedPeripheral: AnyObject {
  /// As centrals know it.
  var id: PeripheralIdentifier { get }

  func publish(_ service: HostedService, completion: @escaping RadioCompletion<Void>)

  /// Takes a service back, and with nil all of them; who subscribed is so no longer, without being told.
  func unpublish(_ service: Int?)

  /// - Parameter completion: fails with `.alreadyAdvertising` if it advertises; that goes on then.
  func startAdvertising(_ data: AdvertisementData, completion: @escaping RadioCompletion<Void>)

  func stopAdvertising()

  /// Notifies or indicates a value to those of the centrals, all if nil, that have subscribed.
  ///
  /// - Parameter completion: there is room for another one.
  func update(
    _ value: [UInt8], of characteristic: Int, to centrals: Set<PeripheralIdentifier>?,
    completion: @escaping @BridgeQueue () -> Void)

  /// - Parameter latency: 0 low, 1 medium, 2 high.
  func setConnectionLatency(_ latency: Int, for central: PeripheralIdentifier)

  /// Listens at a PSM that it chooses.
  func publishL2CAPChannel(encryptionRequired: Bool, completion: @escaping RadioCompletion<UInt16>)

  /// Listens no more. Channels that are open are the delegate's to close.
  func unpublishL2CAPChannel(psm: UInt16, completion: @escaping RadioCompletion<Void>)

  /// The client is gone: its links are lost, and it is heard no more. Nothing is told any more.
  func close()
}

/// Serves a hosted peripheral's centrals.
@BridgeQueue
public protocol HostedPeripheralDelegate: AnyObject {
  /// The value from `offset` on. Asked only for what can be read, and has no fixed value.
  func read(
    _ characteristic: Int, offset: Int, by central: HostedCentral, completion: @escaping RadioCompletion<[UInt8]>)

  /// All of it or nothing.
  func write(
    _ writes: [HostedWrite], withResponse: Bool, by central: HostedCentral, completion: @escaping RadioCompletion<Void>)

  func didSubscribe(_ central: HostedCentral, to characteristic: Int)

  /// Or the central is gone.
  func didUnsubscribe(_ central: HostedCentral, from characteristic: Int)

  func didAccept(_ channel: any RadioL2CAPChannel, psm: UInt16, from central: HostedCentral)
}
