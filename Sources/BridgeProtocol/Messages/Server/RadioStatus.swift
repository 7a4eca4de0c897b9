/// The radio in a status.
public struct RadioStatus: Hashable, Sendable {
  /// `bluez`, `mock`.
  public var kind: String
  /// `hci0`.
  public var adapter: String?
  public var address: String?
  public var state: AdapterState
  /// What is in the way and what to do about it; nil when nothing is.
  public var problem: String?

  public init(
    kind: String, adapter: String? = nil, address: String? = nil, state: AdapterState, problem: String? = nil
  ) {
    self.kind = kind
    self.adapter = adapter
    self.address = address
    self.state = state
    self.problem = problem
  }
}

extension RadioStatus: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    kind = try fields.string("kind")
    adapter = try fields.optionalString("adapter")
    address = try fields.optionalString("address")
    state = try fields.adapterState("state")
    problem = try fields.optionalString("problem")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("kind", kind)
    writer.field("adapter", adapter)
    writer.field("address", address)
    writer.field("state", state.name)
    writer.field("problem", problem)
  }
}
