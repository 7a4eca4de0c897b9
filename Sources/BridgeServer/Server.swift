public import BridgeIO
public import BridgeProtocol
public import Radio
package import RadioFaults

/// Serves one or more radios to clients over Unix sockets.
@BridgeQueue
public final class Server {
  public let configuration: ServerConfiguration
  let activity: ActivityLog
  let scanMemory: ScanMemory
  /// For emulation.
  package var switches = ServerSwitches()
  /// Of all worlds.
  package let faults = FaultPlan()
  private(set) lazy var restorations = Restorations(duration: configuration.limits.restoration)
  private(set) lazy var watchers = ActivityWatchers(server: self)
  private let takeover: Takeover?
  private var doors: Doors?
  private var recordings: BackgroundFolder?

  /// What all clients see. The first is a real radio if there is one.
  var worlds: [World] = []
  /// nil if the radios are given once and for all.
  private(set) var chooser: WorldChooser?
  /// nil where clients cannot be peripherals.
  private(set) var hosting: Hosting?
  /// As last told to clients.
  var toldState: AdapterState?
  var toldMode: ServedMode?
  private(set) var sessions: [Session] = []
  private var sessionCount = 0
  private var channelCount = 0
  private var refusals = RefusalLog()
  private let startedAt = ContinuousClock.now
  private var isStopping = false
  private var isStopped = false
  private var stopCompletions: [@BridgeQueue () -> Void] = []

  public convenience init(configuration: ServerConfiguration, radio: any Radio) {
    self.init(configuration: configuration, radios: [radio])
  }

  /// - Parameter radios: served side by side, a real one first. No two may know the same peripheral.
  /// - Parameter hostedWorld: where clients are peripherals themselves, while virtual ones are served.
  public convenience init(
    configuration: ServerConfiguration, radios: [any Radio], hostedWorld: (any HostedWorld)? = nil
  ) {
    self.init(configuration)
    worlds = radios.map { World($0, server: self) }
    hosting = hostedWorld.map { Hosting($0, server: self) }
  }

  /// Serves what is chosen, now and later.
  public convenience init(configuration: ServerConfiguration, choice: RadioChoice, factory: any WorldFactory) {
    self.init(configuration)
    chooser = WorldChooser(choice, factory: factory, server: self)
    hosting = factory.makeHostedWorld().map { Hosting($0, server: self) }
  }

  private init(_ configuration: ServerConfiguration) {
    self.configuration = configuration
    let limits = configuration.limits
    activity = ActivityLog(activityDuration: limits.activityDuration)
    scanMemory = ScanMemory(duration: limits.scanMemory)
    takeover = configuration.policy == .takeover ? Takeover(limits: limits) : nil
  }

  // MARK: Start and stop

  /// Takes the sockets, starts the radio, and serves clients as soon as it is on.
  ///
  /// - Throws: when the sockets are another's or cannot be made, or the activity log or the recordings cannot be
  ///   written.
  public func start() throws(ServerError) {
    do throws(SocketError) {
      let doors = try Doors(configuration) { [unowned self] in accept($0, $1) }
      try doors.open()
      self.doors = doors
    } catch { throw .socket(error) }
    do throws(SystemError) {
      activity.file = try configuration.activityLogPath.map { path throws(SystemError) in try ActivityFile(path: path) }
    } catch {
      doors?.close()
      throw .activityLog(configuration.activityLogPath ?? "", error)
    }
    do throws(SystemError) {
      recordings = try configuration.recordingPath.map { path throws(SystemError) in try BackgroundFolder(path: path) }
    } catch {
      doors?.close()
      throw .recordings(configuration.recordingPath ?? "", error)
    }
    startWorlds()
  }

  func startWorlds() {
    activity.onChange = { [unowned self] in watchers.activityChanged() }
    if let chooser { chooser.start() } else { for world in worlds { world.start() } }
    updateState()
  }

  /// Ends scans and connections, closes clients and sockets; `completion` is called when all is done, within seconds.
  public func stop(completion: @escaping @BridgeQueue () -> Void) {
    if isStopped { return completion() }
    stopCompletions.append(completion)
    guard !isStopping else { return }
    isStopping = true
    doors?.close()
    for session in sessions { session.close("the service stops") }
    restorations.releaseAll()
    if let chooser { return chooser.stop { [self] in radiosStopped() } }
    var outstanding = worlds.count
    for world in worlds {
      world.stop { [self] in
        outstanding -= 1
        if outstanding == 0 { radiosStopped() }
      }
    }
    if worlds.isEmpty { radiosStopped() }
  }

  private func radiosStopped() {
    if let file = activity.file { file.close { [self] in activityWritten() } } else { activityWritten() }
  }

  private func activityWritten() {
    if let recordings { recordings.close { [self] in stopped() } } else { stopped() }
  }

  private func stopped() {
    isStopped = true
    for completion in stopCompletions { completion() }
    stopCompletions = []
  }

  /// Opens the activity log anew, after a rotation.
  public func reopenLogs() { activity.file?.reopen() }

  /// Where clients connect: that of the socket passed by systemd, if there is one.
  public var socketPath: String { doors?.path.text ?? configuration.socketPath }

  /// Seconds.
  var uptime: Double { (ContinuousClock.now - startedAt).seconds }

  // MARK: Sessions

  func accept(_ descriptor: consuming FileDescriptor, _ door: Session.Door) {
    guard !isStopping, door == .control || state == .poweredOn else { return }
    guard makeRoom() else {
      return refusals.add(SocketOwner(peerOf: descriptor), limit: configuration.limits.sessions)
    }
    sessionCount += 1
    let session = Session(number: sessionCount, door: door, descriptor: descriptor, server: self)
    sessions.append(session)
    takeover?.newcomer(session)
  }

  /// Who connects and says nothing must not keep others out.
  private func makeRoom() -> Bool {
    if sessions.count < configuration.limits.sessions { return true }
    guard let silent = sessions.first(where: { !$0.hasSpoken }) else { return false }
    silent.close("others need the place")
    return true
  }

  func sessionHasSpoken(_ session: Session) {
    Log.notice("session", "\(session.name) came")
    takeover?.hasSpoken(session)
  }

  func sessionHasEnded(_ session: Session) { sessions.removeAll { $0 === session } }

  /// Connections that are served, silent ones included.
  package var clientCount: Int { sessions.count }

  var hasConnectionEventFilters: Bool { connectionEventFilters > 0 }
  /// Sessions that have one; counted, because it is asked for each advertisement.
  var connectionEventFilters = 0

  /// Unique for the run.
  func nextChannelNumber() -> Int {
    channelCount += 1
    return channelCount
  }

  /// For a new session; nil when conversations are not kept.
  func recorder(since time: Double) -> SessionRecorder? {
    recordings.map {
      SessionRecorder(
        folder: $0, time: time, serverVersion: configuration.serverVersion, limit: configuration.limits.recording)
    }
  }

  // MARK: The radios' state

  /// What clients are told.
  public var state: AdapterState { worlds.state }

  /// What stands in the way of a radio, in a sentence; nil if nothing does.
  public var problem: String? {
    worlds.first { $0.radio.description.problem != nil }?.radio.description.problem
      ?? (worlds.isEmpty ? "The service is told to serve no radio ('bridge mode' changes it)." : nil)
  }

  /// What the service is told to serve.
  var mode: RadioMode {
    if let chooser { return chooser.choice.mode }
    return switch worlds.servedMode {
    case .passthrough: .bluez
    case .mock: .mock
    case .both: .both
    case .replay: .bluez
    case .off: .off
    }
  }

  var mockConfigurationName: String? { chooser?.choice.configuration.name }

  func radioStateChanged(of world: World) {
    guard !isStopping else { return }
    chooser?.radioStateChanged(of: world)
    guard worlds.contains(world) else { return }
    // Not before the clients that do not stay are closed: to them nothing is said.
    if !world.isOn, state == .poweredOn { world.radioLost() }
    updateState()
  }

  func openDoor() { doors?.openClients() }

  /// For clients there is no radio.
  func closeDoor() {
    doors?.closeClients()
    for session in sessions where !session.staysWithoutRadio { session.close("the radio is \(state.name)") }
    // Before the ends of connections, which are its consequence.
    tell(state)
    for world in worlds where !world.isOn { world.radioLost() }
  }
}

/// Why a service cannot start.
public enum ServerError: Error, Hashable, CustomStringConvertible {
  case socket(SocketError)
  case activityLog(String, SystemError)
  case recordings(String, SystemError)

  public var description: String {
    switch self {
    case .socket(let error): error.description
    case .activityLog(let path, let error): "the activity log \(path) cannot be written: \(error)"
    case .recordings(let path, let error): "no recordings can be written in \(path): \(error)"
    }
  }
}
