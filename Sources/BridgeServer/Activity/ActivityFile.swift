import BridgeIO
import BridgeProtocol

/// `--activity-log`: one JSON line for each operation, with its result and how long it took.
final class ActivityFile: Sendable {
  private let file: BackgroundFile

  init(path: String) throws(SystemError) { file = try BackgroundFile(path: path) }

  /// - Parameter read: bytes that came from the device.
  @BridgeQueue
  func append(_ entry: ActivityEntry, read: Int, error: BluetoothError?) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("time")
    writer.double(entry.time)
    writer.key("id")
    writer.peripheral(entry.record.id)
    writer.key("name")
    writer.string(entry.record.name)
    if let address = entry.record.address {
      writer.key("address")
      writer.string(address)
    }
    writer.key("operation")
    writer.string(entry.operation.rawValue)
    writer.key("detail")
    writer.string(entry.detail.text)
    writer.key("bytesRead")
    writer.int(read)
    writer.key("bytesWritten")
    writer.int(entry.bytes)
    Self.write(entry.client, to: &writer)
    Self.write(error, to: &writer)
    writer.key("duration")
    writer.double(entry.start.map { (ContinuousClock.now - $0).seconds } ?? 0)
    writer.endObject()
    var line: [UInt8] = []
    writer.finish(into: &line)
    file.append(line)
  }

  private static func write(_ client: ActivityClient, to writer: inout JSONWriter) {
    if let bundleId = client.bundleId {
      writer.key("bundleId")
      writer.string(bundleId)
    }
    if let pid = client.pid {
      writer.key("pid")
      writer.int(pid)
    }
  }

  private static func write(_ error: BluetoothError?, to writer: inout JSONWriter) {
    writer.key("result")
    guard let error else { return writer.string("ok" as String) }
    writer.string("error" as String)
    writer.key("error")
    writer.string(error.text)
    writer.key("errorDomain")
    writer.string(error.domain.rawValue)
    writer.key("errorCode")
    writer.int(error.code)
  }

  func reopen() { file.reopen() }

  func close(completion: @escaping @BridgeQueue @Sendable () -> Void) { file.close(completion: completion) }
}
