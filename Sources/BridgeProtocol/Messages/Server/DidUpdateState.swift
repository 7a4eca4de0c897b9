/// The radio's state changed. Feature `state`.
public struct DidUpdateState: EventBody {
  static let type: StaticString = "state"

  public var state: AdapterState

  public init(state: AdapterState) { self.state = state }

  init(_ fields: MessageFields) throws(FieldError) { state = try fields.adapterState("state") }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("state")
    writer.string(state.name)
  }
}
