import BridgeIO
import BridgeProtocol
import Radio

/// The record of traffic: which peripherals saw GATT or L2CAP requests. It outlives the clients that caused it.
@BridgeQueue
final class ActivityLog {
  /// Set before the first operation.
  var file: ActivityFile?
  private let radio: any Radio
  private let activityDuration: Double
  private var records: [PeripheralIdentifier: ActivityRecord] = [:]
  /// The last that was not empty, for when the radio has forgotten it.
  private var names: [PeripheralIdentifier: String] = [:]
  /// Called when the record changes.
  var onChange: (@BridgeQueue () -> Void)?

  init(radio: any Radio, activityDuration: Duration) {
    self.radio = radio
    self.activityDuration = activityDuration.seconds
  }

  // MARK: Recording

  /// The peripheral's record, which counts for nothing until something is added.
  func record(of id: PeripheralIdentifier) -> ActivityRecord {
    if let record = records[id] { return record }
    let record = ActivityRecord(id: id)
    records[id] = record
    return record
  }

  /// A request was received and its object is known.
  func add(
    _ operation: ActivityOperation, _ detail: ActivityDetail, to record: ActivityRecord, by client: ActivityClient,
    written: Int = 0
  ) -> ActivityEntry {
    let time = UnixTime.now
    record.add(operation, detail, by: client, at: time)
    record.bytesWritten += written
    onChange?()
    return ActivityEntry(
      record: record, operation: operation, detail: detail, client: client, time: time, bytes: written,
      start: file == nil ? nil : .now)
  }

  /// An operation is done: its line goes to the file if there is one.
  func finish(_ entry: ActivityEntry, read: Int = 0, error: BluetoothError? = nil) {
    entry.record.bytesRead += read
    guard let file else { return }
    let id = entry.record.id
    file.append(entry, read: read, error: error, name: name(of: id), address: radio.address(of: id))
  }

  func addNotification(_ bytes: Int, to record: ActivityRecord) {
    record.notifications += 1
    record.bytesRead += bytes
    onChange?()
  }

  // MARK: Reporting

  var devices: [DeviceActivity] {
    let now = UnixTime.now
    return latestFirst.map { record in
      record.device(
        name: name(of: record.id), address: radio.address(of: record.id), isActive: isActive(record, at: now))
    }
  }

  var activeDevices: Int {
    let now = UnixTime.now
    return records.values.count { isActive($0, at: now) }
  }

  /// `<name>: <operation> <detail>` of the latest; empty if there was none.
  var lastActivity: String {
    guard let record = latestFirst.first, let last = record.last else { return "" }
    let name = name(of: record.id).trimmed
    let subject = name.isEmpty ? String(record.id.text.prefix(8)) : name
    let detail = last.detail.text
    return "\(subject): \(last.operation.rawValue)\(detail.isEmpty ? "" : " ")\(detail)"
  }

  private var latestFirst: [ActivityRecord] {
    records.values.filter { $0.count > 0 }.sorted { $0.lastAt > $1.lastAt }
  }

  private func isActive(_ record: ActivityRecord, at time: Double) -> Bool {
    record.count > 0 && time - record.lastAt <= activityDuration
  }

  private func name(of id: PeripheralIdentifier) -> String {
    if let name = radio.name(of: id), !name.trimmed.isEmpty { names[id] = name }
    return names[id] ?? ""
  }
}

/// One operation under way.
struct ActivityEntry {
  let record: ActivityRecord
  let operation: ActivityOperation
  let detail: ActivityDetail
  let client: ActivityClient
  /// Seconds since 1970.
  let time: Double
  /// Written to the device.
  let bytes: Int
  /// nil if nobody wants to know how long it takes.
  let start: ContinuousClock.Instant?
}

extension String {
  fileprivate var trimmed: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
