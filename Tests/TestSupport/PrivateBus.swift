public import BridgeIO
public import DBus
import Glibc

/// A message bus of a test's own: a `dbus-daemon` on a Unix socket in a temporary folder, where any user may own any
/// name and send to anyone.
///
/// It lives until `stop`, or until the test process ends, however that ends: its shell waits for our end of a pipe.
@BridgeQueue
public final class PrivateBus {
  /// Stays the same over restarts.
  public let address: String
  private let folder: String
  private var process: BusProcess?

  public static func start() async throws -> PrivateBus {
    let bus = try PrivateBus()
    try await bus.restart()
    return bus
  }

  /// Starts a bus for the time of `body`.
  public static func run(_ body: @BridgeQueue (PrivateBus) async throws -> Void) async throws {
    let bus = try await start()
    do { try await body(bus) } catch {
      await bus.stop()
      throw error
    }
    await bus.stop()
  }

  private init() throws {
    var template = Array("/tmp/bridge-bus-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    address = "unix:path=\(folder)/bus"
  }

  public func connect() throws(DBusError) -> Connection { try Connection(address: address) }

  /// Ends the daemon at once, as SIGKILL does; returns when it is dead.
  public func kill() async {
    await process?.end()
    process = nil
  }

  /// A fresh daemon at the same address.
  public func restart() async throws {
    await kill()
    mkdir(folder, 0o700)
    try write(Self.configuration(address), to: folder + "/bus.conf")
    let process = try BusProcess(folder: folder)
    self.process = process
    try await process.listening()
  }

  /// As `kill`, for the end of a test.
  public func stop() async { await kill() }

  private func write(_ text: String, to path: String) throws {
    let file = FileDescriptor(owning: try check("open") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) })
    let bytes = Array(text.utf8)
    let written = bytes.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw SystemError(call: "write") }
  }

  private static func configuration(_ address: String) -> String {
    let limits = [
      ("max_incoming_bytes", 1_000_000_000), ("max_outgoing_bytes", 1_000_000_000),
      ("max_message_size", 33_554_432), ("max_completed_connections", 100_000),
      ("max_incomplete_connections", 10_000), ("max_connections_per_user", 100_000),
      ("max_names_per_connection", 50_000), ("max_match_rules_per_connection", 50_000),
      ("max_replies_per_connection", 50_000),
    ]
    let lines = limits.map { "<limit name=\"\($0.0)\">\($0.1)</limit>" }.joined(separator: "\n")
    return """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
      <type>private</type>
      <keep_umask/>
      <listen>\(address)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow user="*"/>
        <allow own="*"/>
        <allow send_destination="*"/>
        <allow receive_sender="*"/>
      </policy>
      \(lines)
      </busconfig>
      """
  }
}
