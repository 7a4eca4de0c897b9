import BridgeIO
import BridgeProtocol
import Radio

/// The record of traffic: which peripherals saw GATT or L2CAP requests. It outlives the clients that caused it.
@BridgeQueue
final class ActivityLog {
  /// Set before the first operation.
  var file: ActivityFile?
  private let activityDuration: Double
  private var records: [PeripheralIdentifier: ActivityRecord] = [:]
  /// How many there may be before the oldest are forgotten.
  private var recordLimit = ActivityLog.usualLimit
  private static let usualLimit = 4096
  /// Called when the record changes.
  var onChange: (@BridgeQueue () -> Void)?

  init(activityDuration: Duration) { self.activityDuration = activityDuration.seconds }

  // MARK: Recording

  /// The peripheral's record, which counts for nothing until something is added.
  func record(of id: PeripheralIdentifier, at radio: any Radio) -> ActivityRecord {
    if let record = records[id] {
      record.radio = radio
      return record
    }
    if records.count >= recordLimit { forgetOldest() }
    let record = ActivityRecord(id: id)
    record.radio = radio
    records[id] = record
    return record
  }

  /// Peripherals that saw no request first; those with a link stay.
  private func forgetOldest() {
    let idle = records.values.filter { $0.radio?.isConnected($0.id) != true }.sorted { $0.lastAt < $1.lastAt }
    for record in idle.prefix(Self.usualLimit / 4) { records[record.id] = nil }
    // Not again at the next one if most of them have links.
    recordLimit = max(Self.usualLimit, records.count + Self.usualLimit / 4)
  }

  /// The radio is served no more: keeps what it knows of the peripherals met there.
  func forget(_ radio: any Radio) {
    for record in records.values where record.radio === radio {
      record.refresh()
      record.radio = nil
    }
  }

  /// A request was received and its object is known.
  func add(
    _ operation: ActivityOperation, _ detail: ActivityDetail, to record: ActivityRecord, by client: ActivityClient,
    written: Int = 0
  ) -> ActivityEntry {
    let time = UnixTime.now
    // One that had no request may have been forgotten meanwhile.
    if record.count == 0 { records[record.id] = record }
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
    entry.record.refresh()
    file.append(entry, read: read, error: error)
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
      record.refresh()
      return record.device(isActive: isActive(record, at: now))
    }
  }

  var activeDevices: Int {
    let now = UnixTime.now
    return records.values.count { isActive($0, at: now) }
  }

  /// `<name>: <operation> <detail>` of the latest; empty if there was none.
  var lastActivity: String {
    guard let record = latestFirst.first, let last = record.last else { return "" }
    record.refresh()
    let name = record.name.trimmed
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
