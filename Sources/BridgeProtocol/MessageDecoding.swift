extension ClientMessage {
  /// Reads one line, with or without its line end.
  public init(line: UnsafeBufferPointer<UInt8>) throws(MessageDecodingError) {
    self = try decode(line) { (type, object) in
      do throws(FieldError) { return .success(try ClientMessage(type: type, MessageFields(object))) } catch {
        return .failure(.field(error.name, error.problem, FailedRequest(type: type.string ?? "", object)))
      }
    }
  }

  /// Reads one line, with or without its line end.
  public init(line: some Collection<UInt8>) throws(MessageDecodingError) {
    self = try Array(line).withUnsafeBufferPointer { bytes in
      Result { () throws(MessageDecodingError) in try ClientMessage(line: bytes) }
    }.get()
  }
}

extension ServerMessage {
  /// Reads one line, with or without its line end.
  public init(line: UnsafeBufferPointer<UInt8>) throws(MessageDecodingError) {
    self = try decode(line) { (type, object) in
      do throws(FieldError) { return .success(try ServerMessage(type: type, MessageFields(object))) } catch {
        return .failure(.field(error.name, error.problem, FailedRequest(type: type.string ?? "")))
      }
    }
  }

  /// Reads one line, with or without its line end.
  public init(line: some Collection<UInt8>) throws(MessageDecodingError) {
    self = try Array(line).withUnsafeBufferPointer { bytes in
      Result { () throws(MessageDecodingError) in try ServerMessage(line: bytes) }
    }.get()
  }
}

/// Parses a line and hands its type and itself to `body`.
private func decode<Message>(
  _ line: UnsafeBufferPointer<UInt8>, _ body: (JSONItem, JSONItem) -> Result<Message, MessageDecodingError>
) throws(MessageDecodingError) -> Message {
  let result: Result<Message, MessageDecodingError>
  do throws(JSONSyntaxError) {
    result = try JSONItem.parsing(line) { object in
      guard object.kind == .object else { return .failure(.notAnObject) }
      guard let type = object["type"] else { return .failure(.noType) }
      guard type.isString else { return .failure(.typeNotAString) }
      return body(type, object)
    }
  } catch { throw .notJSON(error) }
  return try result.get()
}

extension JSONItem {
  static func ~= (text: StaticString, item: JSONItem) -> Bool { item.equals(text) }
}

extension FailedRequest {
  /// Reads of a broken request what can be read.
  init(type: String, _ object: JSONItem) {
    let fields = MessageFields(object)
    self.init(type: type)
    for key: StaticString in ["serviceId", "characteristicId", "descriptorId"] {
      if let text = fields.item(key)?.string {
        attributeId = text
        break
      }
    }
    id = attributeId.flatMap(PeripheralIdentifier.init(ownerOf:)) ?? (try? fields.peripheral())
    channelId = fields.item("channelId")?.string
    psm = fields.item("psm")?.int
    number =
      fields.item("requestId")?.int ?? fields.item("request")?.int ?? fields.item("update")?.int
      ?? fields.item("service")?["id"]?.int
    isWriteWithoutResponse = fields.item("writeType")?.int == 1
  }
}
