import BridgeIO
import BridgeProtocol
import Radio

/// The recorded requests, taken one by one as the live client makes them: each kind in its recorded order.
@BridgeQueue
final class Script {
  let story: Story
  private var waiting: [PeripheralIdentifier?: [RecordedRequest.Key: ArraySlice<Int>]] = [:]
  private var isTaken: [Bool]
  private var latest = -1
  /// Where the live conversation left the recording, for people.
  private(set) var firstDifference: String?
  private var differences = 0
  private static let loggedDifferences = 20

  init(_ story: Story) {
    self.story = story
    isTaken = Array(repeating: false, count: story.requests.count)
    for (index, request) in story.requests.enumerated() {
      waiting[request.peripheral, default: [:]][request.key, default: []].append(index)
    }
  }

  /// The next recorded request that is the same; nil if there is none left.
  func take(
    _ operation: RecordedRequest.Operation, _ peripheral: PeripheralIdentifier?,
    _ attribute: RecordedAttribute? = nil, value: [UInt8]? = nil
  ) -> Int? {
    let key = RecordedRequest.Key(operation: operation, attribute: attribute.map(ObjectIdentifier.init))
    guard let candidates = waiting[peripheral]?[key],
      let position = candidates.firstIndex(where: { value == nil || story.requests[$0].value == value })
    else { return nil }
    let index = candidates[position]
    if position == candidates.startIndex {
      waiting[peripheral]![key]!.removeFirst()
    } else {
      waiting[peripheral]![key]!.remove(at: position)
    }
    isTaken[index] = true
    latest = max(latest, index)
    return index
  }

  /// The next of these, without taking it.
  func peek(_ operation: RecordedRequest.Operation, _ peripheral: PeripheralIdentifier) -> Int? {
    waiting[peripheral]?.filter { $0.key.operation == operation }.compactMap { $0.value.first }.min()
  }

  // MARK: Differences

  /// A request that the recording does not have.
  ///
  /// - Returns: the error for it, which names the first difference.
  func differ(
    _ operation: RecordedRequest.Operation, _ peripheral: PeripheralIdentifier?,
    _ attribute: RecordedAttribute? = nil, value: [UInt8] = []
  ) -> BluetoothError {
    differ(asked: "\(Self.text(operation, attribute, value))\(seen(operation, peripheral, attribute))")
  }

  /// The same for what is no request to a radio.
  func differ(asked: String) -> BluetoothError {
    let text = "not in the recording: \(asked); \(expected)"
    differences += 1
    if differences <= Self.loggedDifferences { Log.notice("replay", text) }
    guard let firstDifference else {
      firstDifference = text
      return BluetoothError.unknown.saying(text)
    }
    return BluetoothError.unknown.saying("\(text). The first difference was: \(firstDifference)")
  }

  /// A stream of bytes that goes another way than the recorded one.
  func differ(inChannel text: String) {
    differences += 1
    if differences <= Self.loggedDifferences { Log.notice("replay", text) }
    if firstDifference == nil { firstDifference = text }
  }

  private func seen(
    _ operation: RecordedRequest.Operation, _ peripheral: PeripheralIdentifier?, _ attribute: RecordedAttribute?
  ) -> String {
    let count = zip(story.requests, isTaken).count { request, isTaken in
      isTaken && request.peripheral == peripheral && request.operation == operation
        && request.attribute === attribute
    }
    return count == 0 ? "" : " once more after \(count)"
  }

  private var expected: String {
    guard let next = story.requests.indices.first(where: { $0 > latest && !isTaken[$0] }) else {
      return "the recording has no more requests"
    }
    let request = story.requests[next]
    return "it goes on in line \(request.line) with \(Self.text(request.operation, request.attribute, request.value))"
  }

  static func text(
    _ operation: RecordedRequest.Operation, _ attribute: RecordedAttribute?, _ value: [UInt8]
  ) -> String {
    let name = attribute.map { " of " + $0.uuid.text } ?? ""
    return switch operation {
    case .scan: "a scan"
    case .configure: "virtual devices"
    case .connect: "a connect"
    case .disconnect: "a cancel"
    case .discoverServices: "a discovery of services"
    case .read: "a read" + name
    case .write: "a write of \(hex(value)) to \(attribute?.uuid.text ?? "an attribute")"
    case .writeWithoutResponse: "a write without response of \(hex(value)) to \(attribute?.uuid.text ?? "an attribute")"
    case .setNotify(let enabled): (enabled ? "a subscription" : "an end of the subscription") + name
    case .readRSSI: "a read of the RSSI"
    case .openChannel(let psm): "an L2CAP channel to PSM \(psm)"
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    if bytes.isEmpty { return "nothing" }
    let text = bytes.prefix(20).map { byte in
      String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
    }.joined()
    return bytes.count > 20 ? text + "…" : text
  }
}
