import BridgeProtocol
import Radio

/// A recording as the radio's side of it: what it was asked, what it answered, and what it reported unasked.
///
/// A recording tells what one client saw. What the service answered by itself, without asking the radio, is left out: it
/// will do so again.
struct Story {
  struct Peripheral {
    var name: String?
    /// From one change of services to the next; at least one.
    var tables: [RecordedTable]
    /// In the order of the recording; links, notifications and the like.
    var events: [RecordedEvent] = []
  }

  /// All of them, in their order.
  var requests: [RecordedRequest] = []
  var peripherals: [PeripheralIdentifier: Peripheral] = [:]
  var scans: [RecordedScan] = []
  /// Of the radio itself.
  var stateEvents: [RecordedEvent] = []
  /// Attributes, as the recorded client wrote them, that it was told not to be there.
  var refusedIDs: Set<String> = []

  init(_ recording: Recording) {
    let tables = TableReader(recording)
    var reader = StoryReader(tables: tables.tables)
    for line in recording.lines { reader.read(line) }
    self = reader.story
    refusedIDs = tables.refusedIDs
    tieEventsToRequests()
  }

  init() {}

  /// Each event to the latest request before it: of its own peripheral, or of all for reports and states.
  private mutating func tieEventsToRequests() {
    for id in peripherals.keys {
      peripherals[id]!.events.sort { $0.line < $1.line }
      let own = requests.indices.filter { requests[$0].peripheral == id }
      tie(&peripherals[id]!.events, to: own)
    }
    tie(&stateEvents, to: Array(requests.indices))
    for index in scans.indices { tie(&scans[index].events, to: Array(requests.indices)) }
  }

  private func tie(_ events: inout [RecordedEvent], to candidates: [Int]) {
    var next = 0
    for index in events.indices {
      while next < candidates.count, requests[candidates[next]].line < events[index].line { next += 1 }
      guard next > 0 else { continue }
      events[index].anchor = candidates[next - 1]
      events[index].delay = max(0, events[index].at - requests[candidates[next - 1]].at)
    }
  }
}
