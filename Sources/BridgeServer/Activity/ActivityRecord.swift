import BridgeIO
import BridgeProtocol
import Radio

/// The traffic of one peripheral since the service started.
@BridgeQueue
final class ActivityRecord {
  let id: PeripheralIdentifier
  /// Where it was met last, for its name and address; nil when that is no more.
  var radio: (any Radio)?
  /// The last that was not empty, and the last address, for when the radio has forgotten them.
  private(set) var name = ""
  private(set) var address: String?
  private var counts = [Int](repeating: 0, count: ActivityOperation.allCases.count)
  private(set) var count = 0
  private(set) var last: (operation: ActivityOperation, detail: ActivityDetail)?
  /// Seconds since 1970.
  private(set) var firstAt = 0.0
  private(set) var lastAt = 0.0
  var bytesRead = 0
  var bytesWritten = 0
  var notifications = 0
  private var clients: [ActivityClient] = []
  private static let clientLimit = 64

  init(id: PeripheralIdentifier) { self.id = id }

  func add(_ operation: ActivityOperation, _ detail: ActivityDetail, by client: ActivityClient, at time: Double) {
    counts[operation.index] += 1
    count += 1
    last = (operation, detail)
    if firstAt == 0 { firstAt = time }
    lastAt = time
    // The usual client is the one before.
    if clients.last != client { add(client) }
  }

  private func add(_ client: ActivityClient) {
    clients.removeAll { $0 == client }
    if clients.count == Self.clientLimit { clients.removeFirst() }
    clients.append(client)
  }

  /// Asks the radio for the name and the address of today.
  func refresh() {
    guard let radio else { return }
    if let known = radio.name(of: id), !known.trimmed.isEmpty { name = known }
    if let known = radio.address(of: id) { address = known }
  }

  func device(isActive: Bool) -> DeviceActivity {
    let operations = ActivityOperation.allCases.filter { counts[$0.index] > 0 }
    return DeviceActivity(
      id: id, name: name, address: address,
      operations: Dictionary(uniqueKeysWithValues: operations.map { ($0.rawValue, counts[$0.index]) }),
      bytesRead: bytesRead, bytesWritten: bytesWritten, notifications: notifications, firstAt: firstAt,
      lastAt: lastAt, lastOperation: last?.operation.rawValue ?? "", lastDetail: last?.detail.text ?? "",
      isActive: isActive, count: count, clients: clients)
  }
}

extension String {
  var trimmed: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
