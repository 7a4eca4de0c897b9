import BridgeProtocol

/// What an operation was about.
enum ActivityDetail {
  case attribute(BluetoothUUID)
  case channel(psm: UInt16)
  case none

  var text: String {
    switch self {
    case .attribute(let uuid): uuid.text
    case .channel(let psm): "PSM \(psm)"
    case .none: ""
    }
  }
}
