/// An update has left, and made room for another.
public struct DidUpdateSubscribers: EventBody {
  static let type: StaticString = "didUpdateSubscribers"

  public var update: Int

  public init(update: Int) {
    self.update = update
  }

  init(_ fields: MessageFields) throws(FieldError) {
    update = try fields.int("update")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("update", update)
  }
}
