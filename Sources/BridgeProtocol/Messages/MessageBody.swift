/// What a message carries beside its `type`: one struct for each, named as the wire names it.
protocol MessageBody: Hashable, Sendable {
  /// The message's `type`.
  static var type: StaticString { get }

  init(_ fields: MessageFields) throws(FieldError)
}

/// From client to server.
protocol RequestBody: MessageBody {
  func write(to writer: inout JSONWriter)
}

/// From server to client.
protocol EventBody: MessageBody {
  /// Writes the fields that a client with these features gets.
  func write(to writer: inout JSONWriter, for features: Features)
}

extension RequestBody {
  /// Appends the message as one line, LF included.
  func appendLine(to line: inout [UInt8]) {
    var writer = JSONWriter(appendingTo: &line)
    writer.beginObject()
    writer.key("type")
    writer.string(Self.type)
    write(to: &writer)
    writer.endObject()
    writer.finish(into: &line)
  }
}

extension EventBody {
  /// Appends the message as one line, LF included.
  func appendLine(to line: inout [UInt8], for features: Features) {
    var writer = JSONWriter(appendingTo: &line)
    writer.beginObject()
    writer.key("type")
    writer.string(Self.type)
    write(to: &writer, for: features)
    writer.endObject()
    writer.finish(into: &line)
  }
}
