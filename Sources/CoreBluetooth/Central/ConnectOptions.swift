import BridgeProtocol
import Foundation

/// What an app says when it connects. Keys for alerts that a system shows mean nothing here.
struct ConnectOptions: Sendable {
  /// All that can travel.
  let json: [String: JSONValue]
  /// Connects again by itself when the link is lost.
  let reconnects: Bool
  let startDelay: Duration

  static let none = ConnectOptions(json: [:], reconnects: false, startDelay: .zero)

  /// - Returns: nil if the delay is no whole number of seconds.
  init?(_ options: [String: Any]?) {
    let options = options ?? [:]
    let json = options.compactMapValues { JSONValue(appValue: $0) }
    let reconnects = options.bool(CBConnectPeripheralOptionEnableAutoReconnect)
    guard let delay = options[CBConnectPeripheralOptionStartDelayKey] else {
      self.init(json: json, reconnects: reconnects, startDelay: .zero)
      return
    }
    guard let seconds = (delay as? NSNumber)?.doubleValue, let whole = Int32(exactly: seconds), whole >= 0 else {
      return nil
    }
    self.init(json: json, reconnects: reconnects, startDelay: .seconds(whole))
  }

  private init(json: [String: JSONValue], reconnects: Bool, startDelay: Duration) {
    self.json = json
    self.reconnects = reconnects
    self.startDelay = startDelay
  }
}

extension [String: Any] {
  /// Whether a number or bool is there and not zero.
  func bool(_ key: String) -> Bool { (self[key] as? NSNumber)?.boolValue ?? false }
}

extension JSONValue {
  /// nil for what has no place in JSON.
  init?(appValue value: Any) {
    switch value {
    case let text as String: self = .string(text)
    case let uuid as CBUUID: self = .string(uuid.uuidString)
    case let uuid as UUID: self = .string(uuid.uuidString)
    case let values as [Any]: self = .array(values.compactMap { JSONValue(appValue: $0) })
    case let number as NSNumber: self = JSONValue(number)
    default: return nil
    }
  }

  private init(_ number: NSNumber) {
    // How Foundation tells a bool.
    if String(cString: number.objCType) == "c" {
      self = .bool(number.boolValue)
    } else if let integer = Int(exactly: number.doubleValue) {
      self = .integer(integer)
    } else {
      self = .double(number.doubleValue.isFinite ? number.doubleValue : 0)
    }
  }
}
