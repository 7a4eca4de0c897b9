/// What the server sends.
public enum ServerMessage: Hashable, Sendable {
  case connectionRejected(ConnectionRejected)
  case didDiscover(DidDiscover)
  case didConnect(DidConnect)
  case didFailConnect(DidFailConnect)
  case didDisconnect(DidDisconnect)
  case didUpdateName(DidUpdateName)
  case didReadRSSI(DidReadRSSI)
  case didDiscoverServices(DidDiscoverServices)
  case didDiscoverIncludedServices(DidDiscoverIncludedServices)
  case didDiscoverCharacteristics(DidDiscoverCharacteristics)
  case didDiscoverDescriptors(DidDiscoverDescriptors)
  case didUpdateValue(DidUpdateValue)
  case didWriteValue(DidWriteValue)
  case didUpdateDescriptorValue(DidUpdateDescriptorValue)
  case didWriteDescriptorValue(DidWriteDescriptorValue)
  case didUpdateNotification(DidUpdateNotification)
  case didOpenL2CAP(DidOpenL2CAP)
  case didModifyServices(DidModifyServices)
  case didReadyToWriteWithoutResponse(DidReadyToWriteWithoutResponse)
  case l2capData(L2CAPData)
  case l2capClosed(L2CAPClosed)
  case connectionEvent(ConnectionEvent)
  /// To a client that is a peripheral itself.
  case peripheral(PeripheralEvent)
  case didRestoreState(DidRestoreState)
  case didSetMockConfiguration(DidSetMockConfiguration)
  case welcome(Welcome)
  case state(DidUpdateState)
  case didUpdateMTU(DidUpdateMTU)
  case didRetrievePeripherals(DidRetrievePeripherals)
  case didTakeWrites(DidTakeWrites)
  case didReportStatus(DidReportStatus)
  case didReportDevices(DidReportDevices)
  case didSetMode(DidSetMode)
  case didSetFault(DidSetFault)
  case didClearFaults(DidClearFaults)
  case didEnterPasskey(DidEnterPasskey)
  case didReportFaults(DidReportFaults)
  /// A `type` that this version does not know; to be ignored.
  case unknown(type: String)
}

extension ServerMessage {
  /// The message's `type`.
  public var type: String {
    switch self {
    case .connectionRejected: "connectionRejected"
    case .didDiscover: "didDiscover"
    case .didConnect: "didConnect"
    case .didFailConnect: "didFailConnect"
    case .didDisconnect: "didDisconnect"
    case .didUpdateName: "didUpdateName"
    case .didReadRSSI: "didReadRSSI"
    case .didDiscoverServices: "didDiscoverServices"
    case .didDiscoverIncludedServices: "didDiscoverIncludedServices"
    case .didDiscoverCharacteristics: "didDiscoverCharacteristics"
    case .didDiscoverDescriptors: "didDiscoverDescriptors"
    case .didUpdateValue: "didUpdateValue"
    case .didWriteValue: "didWriteValue"
    case .didUpdateDescriptorValue: "didUpdateDescriptorValue"
    case .didWriteDescriptorValue: "didWriteDescriptorValue"
    case .didUpdateNotification: "didUpdateNotification"
    case .didOpenL2CAP: "didOpenL2CAP"
    case .didModifyServices: "didModifyServices"
    case .didReadyToWriteWithoutResponse: "didReadyToWriteWithoutResponse"
    case .l2capData: "l2capData"
    case .l2capClosed: "l2capClosed"
    case .connectionEvent: "connectionEvent"
    case .peripheral(let event): event.type
    case .didRestoreState: "didRestoreState"
    case .didSetMockConfiguration: "didSetMockConfiguration"
    case .welcome: "welcome"
    case .state: "state"
    case .didUpdateMTU: "didUpdateMTU"
    case .didRetrievePeripherals: "didRetrievePeripherals"
    case .didTakeWrites: "didTakeWrites"
    case .didReportStatus: "didReportStatus"
    case .didReportDevices: "didReportDevices"
    case .didSetMode: "didSetMode"
    case .didSetFault: "didSetFault"
    case .didClearFaults: "didClearFaults"
    case .didEnterPasskey: "didEnterPasskey"
    case .didReportFaults: "didReportFaults"
    case .unknown(let type): type
    }
  }

  /// Reads the message whose fields are given.
  init(type: JSONItem, _ fields: MessageFields) throws(FieldError) {
    switch type {
    case "didDiscover": self = .didDiscover(try DidDiscover(fields))
    case "didUpdateValue": self = .didUpdateValue(try DidUpdateValue(fields))
    case "didWriteValue": self = .didWriteValue(try DidWriteValue(fields))
    case "l2capData": self = .l2capData(try L2CAPData(fields))
    case "connectionRejected": self = .connectionRejected(try ConnectionRejected(fields))
    case "didConnect": self = .didConnect(try DidConnect(fields))
    case "didFailConnect": self = .didFailConnect(try DidFailConnect(fields))
    case "didDisconnect": self = .didDisconnect(try DidDisconnect(fields))
    case "didUpdateName": self = .didUpdateName(try DidUpdateName(fields))
    case "didReadRSSI": self = .didReadRSSI(try DidReadRSSI(fields))
    case "didDiscoverServices": self = .didDiscoverServices(try DidDiscoverServices(fields))
    case "didDiscoverIncludedServices": self = .didDiscoverIncludedServices(try DidDiscoverIncludedServices(fields))
    case "didDiscoverCharacteristics": self = .didDiscoverCharacteristics(try DidDiscoverCharacteristics(fields))
    case "didDiscoverDescriptors": self = .didDiscoverDescriptors(try DidDiscoverDescriptors(fields))
    case "didUpdateDescriptorValue": self = .didUpdateDescriptorValue(try DidUpdateDescriptorValue(fields))
    case "didWriteDescriptorValue": self = .didWriteDescriptorValue(try DidWriteDescriptorValue(fields))
    case "didUpdateNotification": self = .didUpdateNotification(try DidUpdateNotification(fields))
    case "didOpenL2CAP": self = .didOpenL2CAP(try DidOpenL2CAP(fields))
    case "didModifyServices": self = .didModifyServices(try DidModifyServices(fields))
    case "didReadyToWriteWithoutResponse":
      self = .didReadyToWriteWithoutResponse(try DidReadyToWriteWithoutResponse(fields))
    case "l2capClosed": self = .l2capClosed(try L2CAPClosed(fields))
    case "connectionEvent": self = .connectionEvent(try ConnectionEvent(fields))
    case "didRestoreState": self = .didRestoreState(try DidRestoreState(fields))
    case "didSetMockConfiguration": self = .didSetMockConfiguration(try DidSetMockConfiguration(fields))
    case "welcome": self = .welcome(try Welcome(fields))
    case "state": self = .state(try DidUpdateState(fields))
    case "didUpdateMTU": self = .didUpdateMTU(try DidUpdateMTU(fields))
    case "didRetrievePeripherals": self = .didRetrievePeripherals(try DidRetrievePeripherals(fields))
    case "didTakeWrites": self = .didTakeWrites(try DidTakeWrites(fields))
    case "didReportStatus": self = .didReportStatus(try DidReportStatus(fields))
    case "didReportDevices": self = .didReportDevices(try DidReportDevices(fields))
    case "didSetMode": self = .didSetMode(try DidSetMode(fields))
    case "didSetFault": self = .didSetFault(try DidSetFault(fields))
    case "didClearFaults": self = .didClearFaults(try DidClearFaults(fields))
    case "didEnterPasskey": self = .didEnterPasskey(try DidEnterPasskey(fields))
    case "didReportFaults": self = .didReportFaults(try DidReportFaults(fields))
    default:
      if let event = try PeripheralEvent(type: type, fields) {
        self = .peripheral(event)
      } else {
        self = .unknown(type: type.string ?? "")
      }
    }
  }

  /// Appends the message as one line, LF included, as a client with these features gets it.
  public func appendLine(to line: inout [UInt8], for features: Features = []) {
    switch self {
    case .connectionRejected(let body): body.appendLine(to: &line, for: features)
    case .didDiscover(let body): body.appendLine(to: &line, for: features)
    case .didConnect(let body): body.appendLine(to: &line, for: features)
    case .didFailConnect(let body): body.appendLine(to: &line, for: features)
    case .didDisconnect(let body): body.appendLine(to: &line, for: features)
    case .didUpdateName(let body): body.appendLine(to: &line, for: features)
    case .didReadRSSI(let body): body.appendLine(to: &line, for: features)
    case .didDiscoverServices(let body): body.appendLine(to: &line, for: features)
    case .didDiscoverIncludedServices(let body): body.appendLine(to: &line, for: features)
    case .didDiscoverCharacteristics(let body): body.appendLine(to: &line, for: features)
    case .didDiscoverDescriptors(let body): body.appendLine(to: &line, for: features)
    case .didUpdateValue(let body): body.appendLine(to: &line, for: features)
    case .didWriteValue(let body): body.appendLine(to: &line, for: features)
    case .didUpdateDescriptorValue(let body): body.appendLine(to: &line, for: features)
    case .didWriteDescriptorValue(let body): body.appendLine(to: &line, for: features)
    case .didUpdateNotification(let body): body.appendLine(to: &line, for: features)
    case .didOpenL2CAP(let body): body.appendLine(to: &line, for: features)
    case .didModifyServices(let body): body.appendLine(to: &line, for: features)
    case .didReadyToWriteWithoutResponse(let body): body.appendLine(to: &line, for: features)
    case .l2capData(let body): body.appendLine(to: &line, for: features)
    case .l2capClosed(let body): body.appendLine(to: &line, for: features)
    case .connectionEvent(let body): body.appendLine(to: &line, for: features)
    case .peripheral(let event): event.appendLine(to: &line, for: features)
    case .didRestoreState(let body): body.appendLine(to: &line, for: features)
    case .didSetMockConfiguration(let body): body.appendLine(to: &line, for: features)
    case .welcome(let body): body.appendLine(to: &line, for: features)
    case .state(let body): body.appendLine(to: &line, for: features)
    case .didUpdateMTU(let body): body.appendLine(to: &line, for: features)
    case .didRetrievePeripherals(let body): body.appendLine(to: &line, for: features)
    case .didTakeWrites(let body): body.appendLine(to: &line, for: features)
    case .didReportStatus(let body): body.appendLine(to: &line, for: features)
    case .didReportDevices(let body): body.appendLine(to: &line, for: features)
    case .didSetMode(let body): body.appendLine(to: &line, for: features)
    case .didSetFault(let body): body.appendLine(to: &line, for: features)
    case .didClearFaults(let body): body.appendLine(to: &line, for: features)
    case .didEnterPasskey(let body): body.appendLine(to: &line, for: features)
    case .didReportFaults(let body): body.appendLine(to: &line, for: features)
    case .unknown(let type):
      var writer = JSONWriter(appendingTo: &line)
      writer.beginObject()
      writer.key("type")
      writer.string(type)
      writer.endObject()
      writer.finish(into: &line)
    }
  }
}
