/// The radio's state changed, or what is served. Feature `state`.
public struct DidUpdateState: EventBody {
  static let type: StaticString = "state"

  public var state: AdapterState
  /// What is served from now on, as in `welcome`; nil if that has not changed.
  public var mode: String?

  public init(state: AdapterState, mode: String? = nil) {
    self.state = state
    self.mode = mode
  }

  init(_ fields: MessageFields) throws(FieldError) {
    state = try fields.adapterState("state")
    mode = try fields.optionalString("mode")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("state")
    writer.string(state.name)
    writer.field("mode", mode)
  }
}
