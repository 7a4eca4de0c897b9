/// What one line of a recording's file holds.
struct RecordedLine {
  enum Content {
    case message(Recording.Message)
    /// The session's end.
    case end
    /// Nothing to replay: the heading, or a message that was none.
    case nothing
  }

  var content: Content
  /// Seconds since the conversation began.
  var at: Double?
  /// Seconds since the latest `scan` or `openL2CAP`, in transcripts made by hand.
  var after: Double?

  init(_ text: ArraySlice<UInt8>) throws(LineError) {
    self = try Array(text).withUnsafeBufferPointer { bytes in
      Result { () throws(LineError) in try Self.parse(bytes).get() }
    }.get()
  }

  private init(_ object: JSONItem) throws(LineError) {
    guard object.kind == .object else { throw LineError("not a JSON object") }
    at = object["at"]?.double
    after = object["after"]?.double
    content = try Self.content(object)
  }

  private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<RecordedLine, LineError> {
    do throws(JSONSyntaxError) {
      return try JSONItem.parsing(bytes) { object in
        do throws(LineError) { return .success(try RecordedLine(object)) } catch { return .failure(error) }
      }
    } catch { return .failure(LineError("not JSON: \(error)")) }
  }

  private static func content(_ object: JSONItem) throws(LineError) -> Content {
    if object["end"] != nil { return .end }
    // The heading.
    if object["time"] != nil, object["dir"] == nil { return .nothing }
    guard let direction = object["dir"] else { throw LineError("dir is missing") }
    guard let message = object["msg"] else { throw LineError("msg is missing") }
    guard let type = message["type"], type.isString else { return .nothing }
    let fields = MessageFields(message)
    switch direction {
    case "c2s": return (try? ClientMessage(type: type, fields)).map { .message(.client($0)) } ?? .nothing
    case "s2c": return (try? ServerMessage(type: type, fields)).map { .message(.server($0)) } ?? .nothing
    default: throw LineError("dir is neither c2s nor s2c")
    }
  }
}

/// Why a line cannot be read.
struct LineError: Error {
  var problem: String
  init(_ problem: String) { self.problem = problem }
}
