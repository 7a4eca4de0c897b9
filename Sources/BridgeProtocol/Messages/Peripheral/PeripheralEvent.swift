/// What a client gets that is a peripheral itself. Feature `peripheral`.
public enum PeripheralEvent: Hashable, Sendable {
  case hostingState(HostingState)
  case didRestorePeripheral(DidRestorePeripheral)
  case didPublishService(DidPublishService)
  case didStartAdvertising(DidStartAdvertising)
  case didReceiveRead(DidReceiveRead)
  case didReceiveWrite(DidReceiveWrite)
  case didSubscribe(DidSubscribe)
  case didUnsubscribe(DidUnsubscribe)
  case didUpdateSubscribers(DidUpdateSubscribers)
  case didPublishL2CAP(DidPublishL2CAP)
  case didUnpublishL2CAP(DidUnpublishL2CAP)
  case didAcceptL2CAP(DidAcceptL2CAP)
}

extension PeripheralEvent {
  /// The message's `type`.
  public var type: String {
    switch self {
    case .hostingState: "hostingState"
    case .didRestorePeripheral: "didRestorePeripheral"
    case .didPublishService: "didPublishService"
    case .didStartAdvertising: "didStartAdvertising"
    case .didReceiveRead: "didReceiveRead"
    case .didReceiveWrite: "didReceiveWrite"
    case .didSubscribe: "didSubscribe"
    case .didUnsubscribe: "didUnsubscribe"
    case .didUpdateSubscribers: "didUpdateSubscribers"
    case .didPublishL2CAP: "didPublishL2CAP"
    case .didUnpublishL2CAP: "didUnpublishL2CAP"
    case .didAcceptL2CAP: "didAcceptL2CAP"
    }
  }

  /// Reads the message whose fields are given; nil for a type that is none of these.
  init?(type: JSONItem, _ fields: MessageFields) throws(FieldError) {
    switch type {
    case "hostingState": self = .hostingState(try HostingState(fields))
    case "didRestorePeripheral": self = .didRestorePeripheral(try DidRestorePeripheral(fields))
    case "didPublishService": self = .didPublishService(try DidPublishService(fields))
    case "didStartAdvertising": self = .didStartAdvertising(try DidStartAdvertising(fields))
    case "didReceiveRead": self = .didReceiveRead(try DidReceiveRead(fields))
    case "didReceiveWrite": self = .didReceiveWrite(try DidReceiveWrite(fields))
    case "didSubscribe": self = .didSubscribe(try DidSubscribe(fields))
    case "didUnsubscribe": self = .didUnsubscribe(try DidUnsubscribe(fields))
    case "didUpdateSubscribers": self = .didUpdateSubscribers(try DidUpdateSubscribers(fields))
    case "didPublishL2CAP": self = .didPublishL2CAP(try DidPublishL2CAP(fields))
    case "didUnpublishL2CAP": self = .didUnpublishL2CAP(try DidUnpublishL2CAP(fields))
    case "didAcceptL2CAP": self = .didAcceptL2CAP(try DidAcceptL2CAP(fields))
    default: return nil
    }
  }

  /// Appends the message as one line, LF included.
  func appendLine(to line: inout [UInt8], for features: Features) {
    switch self {
    case .hostingState(let body): body.appendLine(to: &line, for: features)
    case .didRestorePeripheral(let body): body.appendLine(to: &line, for: features)
    case .didPublishService(let body): body.appendLine(to: &line, for: features)
    case .didStartAdvertising(let body): body.appendLine(to: &line, for: features)
    case .didReceiveRead(let body): body.appendLine(to: &line, for: features)
    case .didReceiveWrite(let body): body.appendLine(to: &line, for: features)
    case .didSubscribe(let body): body.appendLine(to: &line, for: features)
    case .didUnsubscribe(let body): body.appendLine(to: &line, for: features)
    case .didUpdateSubscribers(let body): body.appendLine(to: &line, for: features)
    case .didPublishL2CAP(let body): body.appendLine(to: &line, for: features)
    case .didUnpublishL2CAP(let body): body.appendLine(to: &line, for: features)
    case .didAcceptL2CAP(let body): body.appendLine(to: &line, for: features)
    }
  }
}
