/// What a client sends that is a peripheral itself. Feature `peripheral`.
public enum PeripheralRequest: Hashable, Sendable {
  case hostPeripheral(HostPeripheral)
  case publishService(PublishService)
  case unpublishService(UnpublishService)
  case startAdvertising(StartAdvertising)
  case stopAdvertising(StopAdvertising)
  case respond(RespondToRequest)
  case updateSubscribers(UpdateSubscribers)
  case setConnectionLatency(SetConnectionLatency)
  case publishL2CAP(PublishL2CAP)
  case unpublishL2CAP(UnpublishL2CAP)
}

extension PeripheralRequest {
  /// The message's `type`.
  public var type: String {
    switch self {
    case .hostPeripheral: "hostPeripheral"
    case .publishService: "publishService"
    case .unpublishService: "unpublishService"
    case .startAdvertising: "startAdvertising"
    case .stopAdvertising: "stopAdvertising"
    case .respond: "respond"
    case .updateSubscribers: "updateSubscribers"
    case .setConnectionLatency: "setConnectionLatency"
    case .publishL2CAP: "publishL2CAP"
    case .unpublishL2CAP: "unpublishL2CAP"
    }
  }

  /// Reads the message whose fields are given; nil for a type that is none of these.
  init?(type: JSONItem, _ fields: MessageFields) throws(FieldError) {
    switch type {
    case "hostPeripheral": self = .hostPeripheral(try HostPeripheral(fields))
    case "publishService": self = .publishService(try PublishService(fields))
    case "unpublishService": self = .unpublishService(try UnpublishService(fields))
    case "startAdvertising": self = .startAdvertising(try StartAdvertising(fields))
    case "stopAdvertising": self = .stopAdvertising(try StopAdvertising(fields))
    case "respond": self = .respond(try RespondToRequest(fields))
    case "updateSubscribers": self = .updateSubscribers(try UpdateSubscribers(fields))
    case "setConnectionLatency": self = .setConnectionLatency(try SetConnectionLatency(fields))
    case "publishL2CAP": self = .publishL2CAP(try PublishL2CAP(fields))
    case "unpublishL2CAP": self = .unpublishL2CAP(try UnpublishL2CAP(fields))
    default: return nil
    }
  }

  /// Appends the message as one line, LF included.
  func appendLine(to line: inout [UInt8]) {
    switch self {
    case .hostPeripheral(let body): body.appendLine(to: &line)
    case .publishService(let body): body.appendLine(to: &line)
    case .unpublishService(let body): body.appendLine(to: &line)
    case .startAdvertising(let body): body.appendLine(to: &line)
    case .stopAdvertising(let body): body.appendLine(to: &line)
    case .respond(let body): body.appendLine(to: &line)
    case .updateSubscribers(let body): body.appendLine(to: &line)
    case .setConnectionLatency(let body): body.appendLine(to: &line)
    case .publishL2CAP(let body): body.appendLine(to: &line)
    case .unpublishL2CAP(let body): body.appendLine(to: &line)
    }
  }
}
