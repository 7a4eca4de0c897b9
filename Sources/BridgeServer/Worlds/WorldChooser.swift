import BridgeIO
import BridgeProtocol
import Radio

/// Decides which worlds are served: makes of the choice, and of what the adapter says, the server's list of worlds.
@BridgeQueue
final class WorldChooser {
  private unowned let server: Server
  private let factory: any WorldFactory
  private(set) var choice: RadioChoice
  private var hardware: World?
  private(set) var mock: World?
  /// `auto` has found an adapter, and stays with it: a test on real devices must not find itself among virtual ones
  /// because a dongle lost its contact.
  private var hasMetAdapter = false
  private var isHardwareStopping = false
  private var isApplying = false
  /// As last told in the log.
  private var told = ""
  private var isStopped = false
  private var stopCompletion: (@BridgeQueue () -> Void)?
  private var stopping = 0

  init(_ choice: RadioChoice, factory: any WorldFactory, server: Server) {
    self.choice = choice
    self.factory = factory
    self.server = server
  }

  // MARK: Choosing

  func start() { apply() }

  /// Takes what is not nil; all or nothing.
  ///
  /// - Parameter completion: given what was wrong with it, or nil when it is done.
  func choose(
    mode: RadioMode?, configuration name: String?, completion: @escaping @BridgeQueue (BluetoothError?) -> Void
  ) {
    guard let name else {
      take(mode: mode, configuration: nil)
      return completion(nil)
    }
    factory.loadConfiguration(named: name) { [weak self] result in
      switch result {
      case .success(let configuration):
        self?.take(mode: mode, configuration: configuration)
        completion(nil)
      case .failure(let error): completion(error)
      }
    }
  }

  private func take(mode: RadioMode?, configuration: MockConfiguration?) {
    guard !isStopped, mode != nil || configuration != nil else { return }
    if let configuration { choice.configuration = configuration }
    if let mode {
      choice.mode = mode
      hasMetAdapter = false
    }
    apply()
    factory.remember(choice)
  }

  // MARK: Hardware

  /// The state of the adapter's radio has changed, served or not.
  func radioStateChanged(of world: World) {
    if world === hardware { apply() }
  }

  private var needsHardware: Bool {
    switch choice.mode {
    case .auto, .bluez, .both: true
    case .mock, .off: false
    }
  }

  /// Whether `auto` has found out that there is no adapter.
  private var lacksAdapter: Bool {
    guard let hardware else { return false }
    if hardware.radio.description.adapter != nil { hasMetAdapter = true }
    return !hasMetAdapter && hardware.radio.state != .unknown
  }

  /// Why `auto` serves what it does, when that may surprise.
  var notice: String? {
    guard choice.mode == .auto, let hardware else { return nil }
    let description = hardware.radio.description
    if !hasMetAdapter, hardware.radio.state != .unknown {
      return "Virtual devices are served until there is an adapter. \(description.problem ?? "")".trimmed
    }
    if hasMetAdapter, description.adapter == nil {
      return "The adapter is gone and waited for; 'bridge mode mock' serves virtual devices instead."
    }
    return nil
  }

  // MARK: Applying

  private func apply() {
    guard !isApplying, !isStopped else { return }
    isApplying = true
    if needsHardware { startHardware() }
    updateConfiguration()
    let wanted = wantedWorlds()
    server.serve(wanted)
    tellPeople()
    // Who is not served any more ends; `auto` goes on looking for an adapter.
    if !needsHardware { stopHardware() }
    if let mock, !wanted.contains(mock) {
      self.mock = nil
      stop(mock) {}
    }
    isApplying = false
  }

  /// What is served, whenever that changes, loud enough for everyone to see.
  private func tellPeople() {
    // Whether there is an adapter is soon known.
    if choice.mode == .auto, hardware?.radio.state == .unknown, !hasMetAdapter { return }
    let devices = "virtual devices ('\(choice.configuration.name)')"
    let subject =
      switch server.worlds.servedMode {
      case .passthrough: "the adapter"
      case .mock: devices
      case .both: "the adapter and \(devices)"
      case .replay: "a recording"
      case .off: "nothing"
      }
    let text = "serving \(subject), mode \(choice.mode.rawValue). \(notice ?? "")".trimmed
    guard text != told else { return }
    told = text
    Log.notice("server", text)
  }

  private func startHardware() {
    // The one before may still be letting go of devices and of its file.
    guard hardware == nil, !isHardwareStopping else { return }
    let world = World(factory.makeHardwareRadio(), server: server)
    hardware = world
    world.start()
  }

  private func stopHardware() {
    guard let hardware else { return }
    self.hardware = nil
    isHardwareStopping = true
    stop(hardware) { [weak self] in
      self?.isHardwareStopping = false
      self?.apply()
    }
  }

  private func wantedWorlds() -> [World] {
    switch choice.mode {
    case .off: []
    case .bluez: [hardware].compactMap { $0 }
    case .mock: [mockWorld()]
    case .both: [hardware].compactMap { $0 } + [mockWorld()]
    case .auto: lacksAdapter ? [mockWorld()] : [hardware].compactMap { $0 }
    }
  }

  private func mockWorld() -> World {
    if let mock { return mock }
    let world = makeMock(choice.configuration)
    mock = world
    return world
  }

  // MARK: Virtual peripherals

  /// A started world of a configuration.
  func makeMock(_ configuration: MockConfiguration) -> World {
    let radio = factory.makeMockRadio(yielding(configuration))
    let world = World(radio, mock: radio, server: server)
    world.start()
    return world
  }

  /// With the choice the identifiers may change that devices have to yield.
  private func updateConfiguration() {
    guard let radio = mock?.mock else { return }
    let configuration = yielding(choice.configuration)
    if radio.configuration != configuration { radio.configuration = configuration }
  }

  /// The configuration with other identifiers for devices that the adapter's radio has under the same.
  func yielding(_ configuration: MockConfiguration) -> MockConfiguration {
    guard choice.mode == .both, let hardware else { return configuration }
    return configuration.yielding { hardware.radio.knows($0) }
  }

  /// A real device was heard: if a virtual one has its identifier, that one gets another.
  func heard(_ peripheral: PeripheralIdentifier, in world: World) {
    guard choice.mode == .both, world === hardware else { return }
    if let mock, mock.radio.knows(peripheral) { updateConfiguration() }
    for session in server.sessions { session.yieldOwnDevices(to: peripheral) }
  }

  // MARK: Stopping

  private func stop(_ world: World, completion: @escaping @BridgeQueue () -> Void) {
    stopping += 1
    world.stop { [self] in
      stopping -= 1
      completion()
      finishStopping()
    }
  }

  /// Ends every world, served or not.
  func stop(completion: @escaping @BridgeQueue () -> Void) {
    isStopped = true
    stopCompletion = completion
    for world in [hardware, mock].compactMap({ $0 }) { stop(world) {} }
    hardware = nil
    mock = nil
    finishStopping()
  }

  private func finishStopping() {
    guard stopping == 0, let completion = stopCompletion else { return }
    stopCompletion = nil
    completion()
  }
}
