/// Tells a client that another one has taken its place; it shall not come back, and the connection is closed.
public struct ConnectionRejected: EventBody {
  static let type: StaticString = "connectionRejected"

  /// Makes ImpossiBLE's client give up for the rest of its process; it reacts to no other code.
  public static let clientBusy = "clientBusy"

  public var code: String
  public var message: String
  /// Of the client served now; 0 and `unknown` if not known.
  public var pid: Int
  public var processName: String
  public var retry: Bool

  public init(code: String, message: String, pid: Int, processName: String, retry: Bool = false) {
    self.code = code
    self.message = message
    self.pid = pid
    self.processName = processName
    self.retry = retry
  }

  /// As ImpossiBLE words it when a newer client takes over.
  public init(supersededBy pid: Int?, processName: String?) {
    let (pid, processName) = (pid ?? 0, processName ?? "unknown")
    self.init(
      code: Self.clientBusy, message: "superseded by a newer client (pid=\(pid), process=\(processName))", pid: pid,
      processName: processName)
  }

  init(_ fields: MessageFields) throws(FieldError) {
    code = try fields.string("code")
    message = try fields.optionalString("message") ?? ""
    retry = try fields.bool("retry", default: false)
    let client = try fields.object("activeClient")
    do {
      pid = try client?.optionalInt("pid") ?? 0
      processName = try client?.optionalString("processName") ?? "unknown"
    } catch { throw error.inside("activeClient") }
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("code")
    writer.string(code)
    writer.key("message")
    writer.string(message)
    writer.key("activeClient")
    writer.beginObject()
    writer.key("pid")
    writer.int(pid)
    writer.key("processName")
    writer.string(processName)
    writer.endObject()
    writer.key("retry")
    writer.bool(retry)
  }
}
