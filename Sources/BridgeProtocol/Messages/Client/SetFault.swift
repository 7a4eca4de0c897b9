/// Makes something go wrong from now on; answered by `didSetFault`. Feature `control`.
public struct SetFault: RequestBody {
  static let type: StaticString = "setFault"

  public var fault: FaultRule

  public init(fault: FaultRule) { self.fault = fault }

  init(_ fields: MessageFields) throws(FieldError) {
    guard let fault = try fields.object("fault") else { throw FieldError("fault", .missing) }
    do throws(FieldError) { self.fault = try FaultRule(fault) } catch { throw error.inside("fault") }
  }

  func write(to writer: inout JSONWriter) {
    writer.key("fault")
    writer.object(fault)
  }
}
