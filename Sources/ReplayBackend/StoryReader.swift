import BridgeProtocol
import Radio

/// Goes through a recording line by line and gathers what concerned the radio.
///
/// The service between client and radio is accounted for by a model of what it knew: what it answered without asking the
/// radio (a second connect, a subscription that stood already, an attribute that there is not) is no request.
struct StoryReader {
  private(set) var story = Story()
  var peripherals: [PeripheralIdentifier: PeripheralModel] = [:]
  private var channels: [String: RecordedChannel] = [:]
  private var revisions: [PeripheralIdentifier: (content: ReportedContent, number: UInt64)] = [:]
  /// What the running scan has reported, and whether it tells repeats.
  private var scan: (reported: Set<PeripheralIdentifier>, allowsDuplicates: Bool)?

  private struct ReportedContent: Equatable {
    var name: String
    var data: AdvertisementData
  }

  init(tables: [PeripheralIdentifier: [RecordedTable]]) {
    for (id, tables) in tables { story.peripherals[id] = Story.Peripheral(tables: tables) }
  }

  mutating func read(_ line: Recording.Line) {
    switch line.message {
    case .client(let message): readRequest(message, line)
    case .server(let message): readReply(message, line)
    }
  }

  // MARK: Gathering

  /// - Returns: its place among all.
  mutating func add(_ request: RecordedRequest) -> Int {
    story.requests.append(request)
    return story.requests.count - 1
  }

  mutating func answer(_ request: Int, _ line: Recording.Line, _ result: RecordedRequest.Result) {
    story.requests[request].answer = RecordedRequest.Answer(line: line.number, at: line.at, result: result)
  }

  mutating func add(_ content: RecordedEvent.Content, _ line: Recording.Line, of id: PeripheralIdentifier) {
    knowPeripheral(id)
    story.peripherals[id]!.events.append(RecordedEvent(line: line.number, at: line.at, content: content))
  }

  private mutating func knowPeripheral(_ id: PeripheralIdentifier) {
    if story.peripherals[id] == nil { story.peripherals[id] = Story.Peripheral(tables: [RecordedTable()]) }
  }

  /// The table that counts now.
  func table(of id: PeripheralIdentifier) -> RecordedTable? {
    guard let tables = story.peripherals[id]?.tables else { return nil }
    return tables[min(peripherals[id]?.tableNumber ?? 0, tables.count - 1)]
  }

  mutating func withModel<Result>(_ id: PeripheralIdentifier, _ body: (inout PeripheralModel) -> Result) -> Result {
    knowPeripheral(id)
    return body(&peripherals[id, default: PeripheralModel()])
  }

  /// Takes back what was read as the answer to a request: it was a notification, since the answer has come now.
  mutating func takeBackAnswer(_ request: Int, of id: PeripheralIdentifier) {
    guard let answer = story.requests[request].answer, case .value(let value) = answer.result,
      let attribute = story.requests[request].attribute
    else { return }
    story.requests[request].answer = nil
    story.peripherals[id]!.events.append(
      RecordedEvent(line: answer.line, at: answer.at, content: .notified(value, attribute)))
  }

  mutating func setWriteLength(_ length: Int, ofConnect request: Int) {
    story.requests[request].answer?.result = .connected(writeLength: length)
  }

  mutating func withdraw(_ requests: [Int]) { for index in requests { story.requests[index].isWithdrawn = true } }

  mutating func setWait(_ seconds: Double, ofWrite request: Int) { story.requests[request].waitedForRoom = seconds }

  func request(_ index: Int) -> RecordedRequest { story.requests[index] }

  // MARK: Scans

  mutating func startScan(_ request: Scan, _ line: Recording.Line) {
    scan = ([], request.allowDuplicates)
    let request = add(RecordedRequest(line: line.number, at: line.at, operation: .scan, peripheral: nil))
    story.scans.append(RecordedScan(request: request, at: line.at))
  }

  mutating func stopScan() { scan = nil }

  mutating func addReport(_ report: DidDiscover, _ line: Recording.Line) {
    knowPeripheral(report.id)
    if !report.name.isEmpty { story.peripherals[report.id]!.name = report.name }
    let content = ReportedContent(name: report.name, data: report.advertisement)
    let known = revisions[report.id]
    // Where the recorded service told a repeat all the same, it is to be told again.
    let isNews =
      known?.content != content || scan?.allowsDuplicates == false && scan?.reported.contains(report.id) == true
    let revision = (known?.number ?? 0) + (isNews ? 1 : 0)
    revisions[report.id] = (content, revision)
    // A report that overtook the end of its scan is nobody's.
    guard scan?.reported.insert(report.id) != nil, !story.scans.isEmpty else { return }
    let advertisement = Advertisement(
      peripheral: report.id, name: report.name.isEmpty ? nil : report.name, rssi: report.rssi,
      data: report.advertisement, revision: revision)
    story.scans[story.scans.count - 1].events.append(
      RecordedEvent(line: line.number, at: line.at, content: .advertised(advertisement)))
  }

  mutating func addState(_ state: AdapterState, _ line: Recording.Line) {
    story.stateEvents.append(RecordedEvent(line: line.number, at: line.at, content: .state(state)))
    // Links end with the radio, without a word of it.
    if state != .poweredOn { for id in peripherals.keys { peripherals[id]!.endLink() } }
  }

  // MARK: Channels

  mutating func open(_ channel: RecordedChannel, _ id: String) { channels[id] = channel }
  func channel(_ id: String) -> RecordedChannel? { channels[id] }
}

/// What the service knew of a peripheral at one moment of the recording.
struct PeripheralModel {
  enum Link {
    case none
    case connecting
    case connected
  }

  var link = Link.none
  /// Cancels whose `didDisconnect` is to come.
  var cancels = 0
  /// How many changes of services there were.
  var tableNumber = 0
  /// Whether the service has the table of this link.
  var hasTable = false
  var notifying: Set<ObjectIdentifier> = []
  /// Requests without answer, the oldest first, by what their answer names; nil for those that did not reach the radio.
  var pending: [String: [Int?]] = [:]
  var connect: Int?
  /// The latest read of a characteristic whose answer may have been a notification.
  var doubtfulReads: [String: Int] = [:]
  var lastWriteWithoutResponse: Int?
  /// PSMs being opened, in order.
  var openings: [(psm: UInt16, request: Int?)] = []

  mutating func await(_ answer: String, _ request: Int?) { pending[answer, default: []].append(request) }

  /// Takes the oldest request that waits for such an answer; nil if there is none, or if it was not the radio's.
  mutating func take(_ answer: String) -> Int? {
    guard pending[answer]?.isEmpty == false else { return nil }
    return pending[answer]!.removeFirst()
  }

  func isPending(_ answer: String) -> Bool { pending[answer]?.isEmpty == false }

  /// - Returns: the radio's requests that get no answer any more.
  @discardableResult
  mutating func endLink() -> [Int] {
    let left = pending.values.joined().compactMap { $0 } + openings.compactMap(\.request) + [connect].compactMap { $0 }
    let (cancels, tableNumber) = (cancels, tableNumber)
    self = PeripheralModel()
    self.cancels = cancels
    self.tableNumber = tableNumber
    return left
  }
}
