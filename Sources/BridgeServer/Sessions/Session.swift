import BridgeIO
import BridgeProtocol
import Glibc
import Radio

/// One client: its socket, what it told of itself, and all that it wants. What it asks for is handled in the extensions,
/// one per topic.
@BridgeQueue
final class Session {
  /// Where a client came in.
  enum Door: String {
    case clients
    /// Always open; for those who know what the radio's state means.
    case control
  }

  /// Counts the connections of this run.
  let number: Int
  let server: Server
  let channel: LineChannel
  private let recorder: SessionRecorder?
  let door: Door
  let peer: SocketOwner
  /// Seconds since 1970.
  let since = UnixTime.now

  private(set) var hello: Hello?
  private(set) var features: Features = []
  private(set) var activityClient: ActivityClient
  /// Whether a line that is a message has come.
  private(set) var hasSpoken = false
  private(set) var isOpen = true
  private var badLines = 0
  private static let loggedBadLines = 20
  var scan: SessionScan?
  var connections: [PeripheralIdentifier: Connection] = [:]
  var channels: [String: SessionChannel] = [:]
  var connectionEvents: ConnectionEventFilter? {
    didSet { server.connectionEventFilters += (connectionEvents == nil ? 0 : 1) - (oldValue == nil ? 0 : 1) }
  }
  var watchesDevices = false
  /// The scan to go on with in the client's next run, if there is one.
  private(set) var restoredScan: Scan?
  /// The client's own virtual devices; they take the place of the service's.
  var ownWorld: World?
  /// As uploaded.
  var ownConfiguration: MockConfiguration?
  /// Where it is in the world of hosted peripherals.
  var hostingDevice: HostingDevice?
  /// What it hosts there.
  var hosting: SessionHosting?

  init(number: Int, door: Door, descriptor: consuming FileDescriptor, server: Server) {
    self.number = number
    self.door = door
    self.server = server
    peer = SocketOwner(peerOf: descriptor)
    activityClient = ActivityClient(bundleId: nil, pid: peer.pid > 0 ? Int(peer.pid) : nil)
    channel = LineChannel(descriptor, limits: server.configuration.limits.channel)
    recorder = server.recorder(since: since)
    if let recorder { channel.onSend = { recorder.sent($0) } }
    channel.onLine = { [unowned self] in receive($0) }
    channel.onEnd = { [unowned self] in ended($0) }
    channel.onDrain = { [unowned self] in drained() }
  }

  /// What this client sees: the first that knows a peripheral has it.
  var worlds: [World] {
    let shared = server.worlds
    let own = ownWorld.map { own in shared.map { $0.mock == nil ? $0 : own } } ?? shared
    guard let hostingDevice, hostingDevice.isServed else { return own }
    return own + [hostingDevice.world]
  }

  func isAttached(to world: World) -> Bool { worlds.contains { $0 === world } }

  /// For people: number, bundle id and process.
  var name: String {
    let app = hello?.bundleId ?? (peer.processName.isEmpty ? "unknown" : peer.processName)
    return "client \(number) (\(app), pid \(activityClient.pid.map(String.init) ?? "unknown"))"
  }

  /// A client that knows no other sign of a radio that is off than a closed connection is closed then.
  var staysWithoutRadio: Bool { door == .control || !features.isDisjoint(with: [.state, .control]) }

  /// Watches the service and is no user of the radio's: takes nobody's place, and nobody takes its.
  var isObserver: Bool { features.contains(.control) }

  // MARK: Sending

  func send(_ message: ServerMessage) {
    Log.info("session", "\(number) < \(message.type)")
    channel.send { message.appendLine(to: &$0, for: features) }
  }

  /// Answers a request that failed, if the wire has an answer.
  func fail(_ request: ClientMessage, _ error: BluetoothError, isNotifying: Bool = false) {
    if let reply = request.failureReply(error.unaskedFor, isNotifying: isNotifying) { send(reply) }
  }

  // MARK: Receiving

  private func receive(_ line: UnsafeBufferPointer<UInt8>) {
    let message: ClientMessage
    do throws(MessageDecodingError) { message = try ClientMessage(line: line) } catch {
      record(line, error)
      return refuse(error)
    }
    Log.info("session", "\(number) > \(message.type)")
    if case .hello(let hello) = message { introduce(hello) }
    recorder?.received(line, message) { recordingName }
    if !hasSpoken {
      hasSpoken = true
      hostingDevice = server.hosting?.attach(self)
      server.sessionHasSpoken(self)
      guard isOpen else { return }
    }
    handle(message)
  }

  private func record(_ line: UnsafeBufferPointer<UInt8>, _ error: MessageDecodingError) {
    if case .notJSON = error { recorder?.receivedBroken(line) } else { recorder?.received(line, nil) { recordingName } }
  }

  private var recordingName: String {
    RecordingName.make(time: since, servicePID: Int(getpid()), client: number, app: hello?.bundleId)
  }

  private func refuse(_ error: MessageDecodingError) {
    badLines += 1
    if badLines <= Self.loggedBadLines { Log.notice("session", "\(name): line refused: \(error)") }
    if badLines == Self.loggedBadLines { Log.notice("session", "\(name): further refused lines are not logged") }
    // Under `takeover` a newcomer that has said nothing sensible is not served yet.
    guard hasSpoken || server.configuration.policy == .shared, let request = error.request else { return }
    switch request.type {
    case "setMode": refuseSetMode(error)
    case "setNotify": refuseSetNotify(request, error)
    case "l2capWrite": refuseChannelWrite(request, error)
    case "respond": hosting?.refuseResponse(request)
    default: if let reply = error.reply { send(reply) }
    }
  }

  private func introduce(_ hello: Hello) {
    var hello = hello
    hello.bundleId = hello.bundleId?.shortened
    hello.clientVersion = hello.clientVersion?.shortened
    hello.restoreIdentifier = hello.restoreIdentifier?.shortened
    hello.device = hello.device?.shortened
    self.hello = hello
    let pid = hello.pid ?? (peer.pid > 0 ? Int(peer.pid) : nil)
    activityClient = ActivityClient(bundleId: hello.bundleId, pid: pid)
    features = hello.requestedFeatures ?? []
    if server.hosting == nil { features.remove(.peripheral) }
  }

  private func drained() {
    for channel in channels.values { channel.continueReading() }
    hosting?.drained()
    server.hosting?.centralDrained()
  }

  // MARK: Ending

  private func ended(_ end: LineChannel.End) {
    let reason =
      switch end {
      case .endOfFile: "it closed the connection"
      case .failed(let error): "\(error)"
      case .lineTooLong(let error): "it sent \(error)"
      case .outputFull(let limit): "it does not read, \(limit) bytes wait for it"
      }
    release(reason, mayReturn: true)
  }

  /// Ends the session from our side; what was sent still goes out.
  func close(_ reason: String) {
    guard isOpen else { return }
    channel.closeAfterFlush()
    release(reason, mayReturn: false)
  }

  /// Lets go of all that the client held, unless it is kept for its return. Nothing is sent.
  private func release(_ reason: String, mayReturn: Bool) {
    guard isOpen else { return }
    isOpen = false
    if hasSpoken { Log.notice("session", "\(name) went: \(reason)") }
    recorder?.end(reason)
    if let scan { server.scanMemory.remember(scan.request, of: hello) }
    let keeps = mayReturn && ownWorld == nil && server.restorations.keep(self)
    restoredScan = keeps ? scan?.request : nil
    endScan()
    for connection in connections.values { connection.closeChannels(.operationCancelled) }
    channels = [:]
    if !keeps { releaseHolds() }
    connectionEvents = nil
    removeOwnDevices()
    stopHosting()
    if !keeps { leaveDevice() }
    server.sessionHasEnded(self)
    server.hosting?.centralDrained()
  }

  /// Nobody comes back for what was kept.
  func releaseKept() {
    releaseHolds()
    leaveDevice()
  }

  private func leaveDevice() {
    guard let hostingDevice else { return }
    self.hostingDevice = nil
    server.hosting?.detach(hostingDevice)
  }

  /// Goes on where a former session was: what that held there it holds as the same central.
  func moveToDevice(of former: Session) { moveToDevice(former.hostingDevice) }

  /// nil for staying.
  func moveToDevice(_ device: HostingDevice?) {
    guard let device, device !== hostingDevice else { return }
    leaveDevice()
    device.sessions += 1
    hostingDevice = device
  }

  /// Lets go of peripherals; nobody is told.
  func releaseHolds() {
    let held = connections.values
    connections = [:]
    for connection in held { connection.release() }
  }
}
