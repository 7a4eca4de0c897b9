import BridgeIO
import BridgeProtocol
import DBus
import Radio

/// GATT on one live link: made when the link stands, ended with it.
///
/// Requests go to bluetoothd one at a time (`RequestQueue`); every refusal, too, takes its place in that order. Calls go
/// out on the radio's connection, except `StartNotify` and `StopNotify`: notify sessions belong to a bus connection and
/// outlive the link, so they get a connection of their own, which is closed with the link.
@BridgeQueue
final class GATTClient {
  let bus: Connection
  let busAddress: String
  let devicePath: String
  let cache: ObjectCache
  let paths: GATTPaths
  let timing: Timing
  weak var owner: (any GATTClientOwner)?

  // Requests, see GATTClient+Requests.swift.
  var queue = RequestQueue<GATTRequest>()
  /// The one request that is out.
  var current: GATTRequest?
  /// Commands that are out, oldest first.
  var commands: [GATTRequest] = []
  /// Those of them, the latest, that were sent without asking for a reply.
  var unconfirmed = 0
  var willSendCommands = false
  var watchdog: QueueTimer?
  var isStuck = false

  // Attributes, see GATTClient+Services.swift.
  /// Nil until resolved.
  var table: AttributeTable?
  /// Of the table that `discoverServices` gave last, less what is gone since.
  var attributes: [AttributeHandle: Attribute] = [:]
  var discoveries: [RadioCompletion<GATTDatabase>] = []
  var change: ServiceChange?
  var isTableStale = false
  var mtu: Int?
  var toldWriteLength = 20

  // Notifications, see GATTClient+Notifications.swift.
  var notifyConnection: Connection?

  private(set) var endError: BluetoothError?

  /// How long things may take; tests are less patient.
  struct Timing: Sendable {
    /// A request on a paired device. ATT itself gives up after 30 s.
    var request = Duration.seconds(35)
    /// A request that may be waiting for someone to answer a pairing dialog.
    var requestWithPairing = Duration.seconds(55)
    /// Before a call is repeated that found bluetoothd busy.
    var busy = Duration.milliseconds(10)
    /// Before an error is believed that bluetoothd also gives while a link goes down.
    var linkLoss = Duration.milliseconds(250)
    /// An unpaired device that is removed with a request out for longer has refused to pair.
    var failedPairing = Duration.seconds(25)
    /// Without changes, before a service change is told.
    var changeQuiet = Duration.milliseconds(500)
    /// A service change that does not come to rest is told after this.
    var changeLimit = Duration.seconds(5)
  }

  init(
    bus: Connection, busAddress: String, devicePath: String, cache: ObjectCache, paths: GATTPaths,
    owner: any GATTClientOwner, timing: Timing = Timing()
  ) {
    self.bus = bus
    self.busAddress = busAddress
    self.devicePath = devicePath
    self.cache = cache
    self.paths = paths
    self.owner = owner
    self.timing = timing
  }

  /// The link is gone: fails what is pending with `error`, in order, and closes the notify connection.
  /// What is asked for afterwards fails likewise.
  func end(_ error: BluetoothError) {
    guard endError == nil else { return }
    endError = error
    paths.removeRoutes(to: self)
    notifyConnection?.onDisconnect = nil
    notifyConnection?.close()
    notifyConnection = nil
    watchdog?.cancel()
    change?.cancel()
    change = nil
    let pending = commands + (current.map { [$0] } ?? []) + queue.removeAll()
    let discoveries = discoveries
    commands = []
    unconfirmed = 0
    current = nil
    self.discoveries = []
    attributes = [:]
    for request in pending {
      request.finish()
      request.fail(error)
    }
    for completion in discoveries { completion(.failure(error)) }
  }

  // MARK: Operations

  func read(_ attribute: AttributeHandle, completion: @escaping RadioCompletion<[UInt8]>) {
    submit(attribute, .value(completion)) { _ in .read }
  }

  func write(_ value: [UInt8], to attribute: AttributeHandle, completion: @escaping RadioCompletion<Void>) {
    submit(attribute, .done(completion)) { attribute in
      if value.count > 512 { return .refuse(.attribute(0x0D)) }
      // The bridge owns subscriptions; bluetoothd would refuse this too.
      if attribute.kind == .descriptor, attribute.uuid == .clientCharacteristicConfiguration {
        return .refuse(.attribute(0x03))
      }
      return .write(value)
    }
  }

  /// A value too long for one packet is written with response where the characteristic allows it, else refused.
  func writeWithoutResponse(
    _ value: [UInt8], to characteristic: AttributeHandle, completion: @escaping RadioCompletion<Void>
  ) {
    submit(characteristic, .done(completion)) { attribute in
      if value.count > 512 { return .refuse(.attribute(0x0D)) }
      // bluetoothd would send it all the same.
      guard attribute.properties.contains(.writeWithoutResponse) else { return .refuse(.attribute(0x03)) }
      if self.knownMTU == nil || value.count <= self.maximumWriteLength { return .command(value) }
      return attribute.properties.contains(.write) ? .write(value) : .refuse(.attribute(0x0D))
    }
  }

  func setNotify(_ enabled: Bool, characteristic: AttributeHandle, completion: @escaping RadioCompletion<Void>) {
    submit(characteristic, .done(completion)) { attribute in
      if attribute.properties.isDisjoint(with: [.notify, .indicate]) { return .refuse(.attribute(0x06)) }
      // bluetoothd would say yes and write nothing.
      if enabled && !attribute.isConfigurable { return .refuse(.attribute(0x0A)) }
      return .notify(enabled)
    }
  }

  var canSendWriteWithoutResponse: Bool { endError == nil && !queue.isFull }

  /// ATT MTU - 3, at most a whole attribute value; 20 while bluetoothd does not say.
  var maximumWriteLength: Int { min((knownMTU ?? 23) - 3, 512) }
}
