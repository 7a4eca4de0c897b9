public import BridgeIO
public import BridgeProtocol
public import Radio

/// A radio that does what a recording says: the same requests get the same answers, in their recorded order, and what the
/// radio reported unasked follows the request that it followed then.
///
/// A request that the recording does not have fails with an error that names the first difference. Peripherals that are not in
/// it can be asked for, too: connecting to them is such a difference.
@BridgeQueue
public final class ReplayRadio: MockRadio {
  public weak var observer: (any RadioObserver)?
  public private(set) var state = AdapterState.unknown
  /// Its content does not count: what a recorded client had uploaded shows in what it heard after that.
  public var configuration: MockConfiguration { didSet { configured() } }
  let script: Script
  private let name: String
  let pace: ReplayPace
  private var peripherals: [PeripheralIdentifier: ReplayPeripheral] = [:]
  private lazy var air = Agenda<RecordedEvent> { [unowned self] in report($0) }
  private var currentScan: Int?
  private var scansStarted = 0
  private var nextReport = 0
  private var nextState = 0

  /// - Parameters:
  ///   - name: of the recording, for people.
  ///   - isFast: whether answers and reports come as soon as they can instead of after the recorded times.
  public convenience init(_ recording: Recording, name: String, isFast: Bool = false) {
    self.init(Script(Story(recording)), name: name, ReplayPace(isFast: isFast), MockConfiguration(name: name))
  }

  /// Another radio of the same recording: what one has answered, the other will not.
  public convenience init(sharing other: ReplayRadio, configuration: MockConfiguration) {
    self.init(other.script, name: other.name, other.pace, configuration)
  }

  private init(_ script: Script, name: String, _ pace: ReplayPace, _ configuration: MockConfiguration) {
    self.script = script
    self.configuration = configuration
    self.name = name
    self.pace = pace
    for (id, story) in script.story.peripherals { peripherals[id] = ReplayPeripheral(id, story, radio: self) }
  }

  /// Whether the recorded client brought virtual devices of its own, and they were taken.
  public var tookConfigurations: Bool { script.story.requests.contains { $0.operation == .configure } }

  /// A client has brought virtual devices of its own.
  public func configured() {
    if let index = script.take(.configure, nil) { matched(index, .now) }
  }

  public var description: RadioDescription { RadioDescription(kind: "replay", adapter: name) }

  /// Where the client left the recording, in a sentence; nil while it has not.
  public var firstDifference: String? { script.firstDifference }

  public func start() { setState(.poweredOn) }

  public func stop(completion: @escaping @BridgeQueue () -> Void) {
    scan(nil)
    for peripheral in peripherals.values { peripheral.radioLost() }
    BridgeQueue.async { completion() }
  }

  private func setState(_ new: AdapterState) {
    guard new != state else { return }
    state = new
    if new != .poweredOn { for peripheral in peripherals.values { peripheral.radioLost() } }
    observer?.radioDidUpdateState(self)
  }

  /// A request was made that the recording has: what followed it may follow.
  func matched(_ index: Int, _ now: ContinuousClock.Instant) {
    if let currentScan {
      releaseReports(of: script.story.scans[currentScan], now) { event in
        event.anchor <= index ? (event.anchor == index ? event.delay : 0) : nil
      }
    }
    while nextState < script.story.stateEvents.count, script.story.stateEvents[nextState].anchor <= index {
      let event = script.story.stateEvents[nextState]
      nextState += 1
      guard event.anchor >= 0 else { continue }
      air.add(event, line: event.line, due: pace.time(event.anchor == index ? event.delay : 0, after: now))
    }
  }

  // MARK: Scanning

  public func scan(_ scan: RadioScan?) {
    if currentScan != nil {
      _ = air.remove { _, event in if case .advertised = event.content { true } else { false } }
      currentScan = nil
    }
    guard scan != nil, !script.story.scans.isEmpty else { return }
    let number = min(scansStarted, script.story.scans.count - 1)
    let isRepeated = scansStarted > number
    scansStarted += 1
    currentScan = number
    nextReport = 0
    let recorded = script.story.scans[number]
    if isRepeated {
      // Once more than recorded: who was there is still there.
      releaseReports(of: recorded, .now) { $0.at - recorded.at }
    } else if let index = script.take(.scan, nil) {
      matched(index, .now)
    }
  }

  /// - Parameter delay: of a report; nil if it must not come yet.
  private func releaseReports(
    of scan: RecordedScan, _ now: ContinuousClock.Instant, delay: (RecordedEvent) -> Double?
  ) {
    while nextReport < scan.events.count, let seconds = delay(scan.events[nextReport]) {
      let event = scan.events[nextReport]
      air.add(event, line: event.line, due: pace.time(seconds, after: now))
      nextReport += 1
    }
  }

  private func report(_ event: RecordedEvent) {
    switch event.content {
    case .advertised(let advertisement): observer?.radio(self, didReceive: advertisement)
    case .state(let state): setState(state)
    default: break
    }
  }

  // MARK: Connections

  public func knows(_ peripheral: PeripheralIdentifier) -> Bool { true }
  public func name(of peripheral: PeripheralIdentifier) -> String? { peripherals[peripheral]?.name }
  public func address(of peripheral: PeripheralIdentifier) -> String? { nil }
  public func isConnected(_ peripheral: PeripheralIdentifier) -> Bool { peripherals[peripheral]?.link == .connected }

  /// Recordings tell what a client did itself, not who else was connected.
  public func connectedPeripherals(with services: [BluetoothUUID]) -> [PeripheralIdentifier] { [] }

  public func connect(_ peripheral: PeripheralIdentifier) { self.peripheral(peripheral).connect() }
  public func disconnect(_ peripheral: PeripheralIdentifier) { self.peripheral(peripheral).disconnect() }

  func peripheral(_ id: PeripheralIdentifier) -> ReplayPeripheral {
    if let peripheral = peripherals[id] { return peripheral }
    let stranger = ReplayPeripheral(id, Story.Peripheral(tables: [RecordedTable()]), radio: self)
    peripherals[id] = stranger
    return stranger
  }
}
