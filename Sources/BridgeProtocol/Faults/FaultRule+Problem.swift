extension FaultRule {
  /// What makes no sense about the rule, if anything: the field, and a reason for people.
  public var problem: (field: String, reason: String)? { effectProblem ?? operationProblem ?? placeProblem }

  private var effectProblem: (field: String, reason: String)? {
    if error == nil, !(delay > 0), !(jitter > 0), !lose, !drop, !changeServices {
      return ("operation", "nothing happens: give an error, delay, jitter, lose, drop or changeServices")
    }
    if lose, error != nil { return ("lose", "what is lost has no error") }
    if lose, operation == .disconnect || operation == .link {
      return ("lose", "a \(operation.rawValue) cannot be lost")
    }
    if drop, changeServices { return ("drop", "a link that ends shows no change of services") }
    return nil
  }

  private var operationProblem: (field: String, reason: String)? {
    let errorField = error?.domain == .attribute ? "attError" : "cbError"
    switch operation {
    case .connect:
      if drop || changeServices { return (drop ? "drop" : "changeServices", "for this there is operation link") }
      if error?.domain == .attribute { return (errorField, "a connect fails with a cbError") }
    case .disconnect:
      if error != nil || drop || changeServices { return ("operation", "a disconnect can only be delayed") }
    case .advertisement:
      if error != nil || drop || changeServices { return ("operation", "an advertisement can be delayed or lost") }
    case .notification:
      if error != nil, !drop { return (errorField, "a notification has no error") }
    case .link:
      if !drop, !changeServices { return ("operation", "a link needs drop or changeServices") }
      if error?.domain == .attribute { return (errorField, "a link ends with a cbError") }
    default: break
    }
    return nil
  }

  private var placeProblem: (field: String, reason: String)? {
    if id != nil, name != nil { return ("name", "there is an id too") }
    if !operation.hasAttribute {
      if characteristic != nil { return ("characteristic", "a \(operation.rawValue) concerns no characteristic") }
      if service != nil, !changeServices { return ("service", "a \(operation.rawValue) concerns no one service") }
    }
    if descriptor != nil, ![.readDescriptor, .writeDescriptor, .request].contains(operation) {
      return ("descriptor", "a \(operation.rawValue) concerns no descriptor")
    }
    return nil
  }
}
