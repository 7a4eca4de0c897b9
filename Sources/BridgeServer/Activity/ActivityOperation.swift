/// What counts as traffic: GATT and L2CAP requests, and what a channel brings. Not scans, connections, discovery, RSSI.
enum ActivityOperation: String, CaseIterable {
  case read = "Read"
  case write = "Write"
  case readDescriptor = "Read descriptor"
  case writeDescriptor = "Write descriptor"
  case subscribe = "Subscribe"
  case unsubscribe = "Unsubscribe"
  case openChannel = "Open L2CAP"
  case writeChannel = "L2CAP write"
  case readChannel = "L2CAP read"
  case closeChannel = "L2CAP close"

  var index: Int {
    switch self {
    case .read: 0
    case .write: 1
    case .readDescriptor: 2
    case .writeDescriptor: 3
    case .subscribe: 4
    case .unsubscribe: 5
    case .openChannel: 6
    case .writeChannel: 7
    case .readChannel: 8
    case .closeChannel: 9
    }
  }
}
