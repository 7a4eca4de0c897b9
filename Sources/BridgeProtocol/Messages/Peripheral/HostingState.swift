/// Whether the client can be a peripheral: the answer to `hostPeripheral`, and again whenever it changes.
public struct HostingState: EventBody {
  static let type: StaticString = "hostingState"

  /// Below powered off, nothing is published any more.
  public var state: AdapterState

  public init(state: AdapterState) {
    self.state = state
  }

  init(_ fields: MessageFields) throws(FieldError) {
    state = try fields.adapterState("state")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("state")
    writer.string(state.name)
  }
}
