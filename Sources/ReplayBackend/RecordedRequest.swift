import BridgeProtocol
import Radio

/// Something that the recorded client wanted and that reached the radio, with the radio's answer.
struct RecordedRequest {
  enum Operation: Hashable {
    case scan
    /// Virtual devices of the client's own were taken.
    case configure
    case connect
    case disconnect
    case discoverServices
    case read
    case write
    case writeWithoutResponse
    case setNotify(Bool)
    case readRSSI
    case openChannel(psm: UInt16)
  }

  enum Result {
    case done
    case value([UInt8])
    case rssi(Int)
    /// With the length of a write without response that was told at the same moment.
    case connected(writeLength: Int?)
    case channel(RecordedChannel)
    case failure(BluetoothError)
  }

  struct Answer {
    var line: Int
    var at: Double
    var result: Result
  }

  let line: Int
  let at: Double
  let operation: Operation
  /// nil for scans.
  let peripheral: PeripheralIdentifier?
  var attribute: RecordedAttribute?
  /// What was written.
  var value: [UInt8] = []
  var answer: Answer?
  /// The client let go of the peripheral before there was an answer.
  var isWithdrawn = false
  /// For a write without response that had to wait: how long, in seconds, until there was room.
  var waitedForRoom: Double?

  /// Which requests are the same; of writes, the value has to be compared as well.
  struct Key: Hashable {
    var operation: Operation
    var attribute: ObjectIdentifier?
  }

  var key: Key { Key(operation: operation, attribute: attribute.map(ObjectIdentifier.init)) }
}

/// Something that the radio reported unasked.
struct RecordedEvent {
  enum Content {
    case notified([UInt8], RecordedAttribute)
    case disconnected(BluetoothError?)
    case renamed(String)
    /// The next table of the peripheral counts from here; the attributes are of the one before.
    case servicesModified([RecordedAttribute])
    case writeLength(Int)
    case connectionEvent(Bool)
    case advertised(Advertisement)
    case state(AdapterState)
  }

  let line: Int
  let at: Double
  let content: Content
  /// The request, by its place among all, that it followed; -1 for none.
  var anchor = -1
  /// Seconds after that request.
  var delay = 0.0
}

/// One scan's reports.
struct RecordedScan {
  /// Place among all requests.
  let request: Int
  let at: Double
  /// Its reports, up to its end.
  var events: [RecordedEvent] = []
}

/// A channel's bytes, both ways.
final class RecordedChannel {
  enum Step {
    case data([UInt8])
    case closed
  }

  /// What came from the device, and after how many bytes to it.
  struct Entry {
    var step: Step
    var bytesSent: Int
    /// Seconds after the write that brought `bytesSent` about, or after the opening.
    var delay: Double
  }

  let psm: UInt16
  let line: Int
  private(set) var sent: [UInt8] = []
  private(set) var received: [Entry] = []
  private var anchor: Double
  private var isClosed = false

  init(psm: UInt16, line: Int, at: Double) {
    self.psm = psm
    self.line = line
    anchor = at
  }

  func write(_ bytes: [UInt8], at: Double) {
    sent += bytes
    anchor = at
  }

  func receive(_ bytes: [UInt8], at: Double) {
    received.append(Entry(step: .data(bytes), bytesSent: sent.count, delay: at - anchor))
  }

  /// Asked for by the client: what is told of it then is no event.
  func closeByClient() { isClosed = true }

  func closeByDevice(at: Double) {
    guard !isClosed else { return }
    isClosed = true
    received.append(Entry(step: .closed, bytesSent: sent.count, delay: at - anchor))
  }
}
