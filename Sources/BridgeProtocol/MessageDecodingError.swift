/// Why a line is no message.
public enum MessageDecodingError: Error, Hashable, Sendable {
  case notJSON(JSONSyntaxError)
  case notAnObject
  case noType
  case typeNotAString
  /// A field of a known message is missing or wrong; the request holds what could be read of it all the same.
  case field(String, FieldProblem, FailedRequest)

  public var request: FailedRequest? {
    guard case .field(_, _, let request) = self else { return nil }
    return request
  }

  /// What to answer the client, if the wire has an answer for it.
  public var reply: ServerMessage? {
    guard case .field(let name, let problem, let request) = self else { return nil }
    return request.reply(.invalidParameters.saying("\(name): \(problem)"))
  }
}

extension MessageDecodingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notJSON(let error): "not JSON: \(error)"
    case .notAnObject: "not a JSON object"
    case .noType: "no type"
    case .typeNotAString: "type is not a string"
    case .field(let name, let problem, let request): "\(request.type): \(name): \(problem)"
    }
  }
}
