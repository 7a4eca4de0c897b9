/// What a client sends.
public enum ClientMessage: Hashable, Sendable {
  case hello(Hello)
  case scan(Scan)
  case stopScan(StopScan)
  case connect(Connect)
  case cancel(Cancel)
  case readRSSI(ReadRSSI)
  case discoverServices(DiscoverServices)
  case discoverIncludedServices(DiscoverIncludedServices)
  case discoverCharacteristics(DiscoverCharacteristics)
  case discoverDescriptors(DiscoverDescriptors)
  case read(ReadCharacteristic)
  case write(WriteCharacteristic)
  case readDescriptor(ReadDescriptor)
  case writeDescriptor(WriteDescriptor)
  case setNotify(SetNotify)
  case openL2CAP(OpenL2CAP)
  case l2capWrite(L2CAPWrite)
  case l2capClose(L2CAPClose)
  case l2capPause(L2CAPPause)
  /// Of a client that is a peripheral itself.
  case peripheral(PeripheralRequest)
  case registerForConnectionEvents(RegisterForConnectionEvents)
  case retrievePeripherals(RetrievePeripherals)
  case setMockConfiguration(SetMockConfiguration)
  case clearMockConfiguration(ClearMockConfiguration)
  case status(Status)
  case devices(Devices)
  case setMode(SetMode)
  case setFault(SetFault)
  case clearFaults(ClearFaults)
  case enterPasskey(EnterPasskey)
  case faults(Faults)
  /// A `type` that this version does not know; to be ignored.
  case unknown(type: String)
}

extension ClientMessage {
  /// The message's `type`.
  public var type: String {
    switch self {
    case .hello: "hello"
    case .scan: "scan"
    case .stopScan: "stopScan"
    case .connect: "connect"
    case .cancel: "cancel"
    case .readRSSI: "readRSSI"
    case .discoverServices: "discoverServices"
    case .discoverIncludedServices: "discoverIncludedServices"
    case .discoverCharacteristics: "discoverCharacteristics"
    case .discoverDescriptors: "discoverDescriptors"
    case .read: "read"
    case .write: "write"
    case .readDescriptor: "readDescriptor"
    case .writeDescriptor: "writeDescriptor"
    case .setNotify: "setNotify"
    case .openL2CAP: "openL2CAP"
    case .l2capWrite: "l2capWrite"
    case .l2capClose: "l2capClose"
    case .l2capPause: "l2capPause"
    case .peripheral(let request): request.type
    case .registerForConnectionEvents: "registerForConnectionEvents"
    case .retrievePeripherals: "retrievePeripherals"
    case .setMockConfiguration: "setMockConfiguration"
    case .clearMockConfiguration: "clearMockConfiguration"
    case .status: "status"
    case .devices: "devices"
    case .setMode: "setMode"
    case .setFault: "setFault"
    case .clearFaults: "clearFaults"
    case .enterPasskey: "enterPasskey"
    case .faults: "faults"
    case .unknown(let type): type
    }
  }

  /// Reads the message whose fields are given.
  init(type: JSONItem, _ fields: MessageFields) throws(FieldError) {
    switch type {
    case "read": self = .read(try ReadCharacteristic(fields))
    case "write": self = .write(try WriteCharacteristic(fields))
    case "l2capWrite": self = .l2capWrite(try L2CAPWrite(fields))
    case "hello": self = .hello(try Hello(fields))
    case "scan": self = .scan(try Scan(fields))
    case "stopScan": self = .stopScan(try StopScan(fields))
    case "connect": self = .connect(try Connect(fields))
    case "cancel": self = .cancel(try Cancel(fields))
    case "readRSSI": self = .readRSSI(try ReadRSSI(fields))
    case "discoverServices": self = .discoverServices(try DiscoverServices(fields))
    case "discoverIncludedServices": self = .discoverIncludedServices(try DiscoverIncludedServices(fields))
    case "discoverCharacteristics": self = .discoverCharacteristics(try DiscoverCharacteristics(fields))
    case "discoverDescriptors": self = .discoverDescriptors(try DiscoverDescriptors(fields))
    case "readDescriptor": self = .readDescriptor(try ReadDescriptor(fields))
    case "writeDescriptor": self = .writeDescriptor(try WriteDescriptor(fields))
    case "setNotify": self = .setNotify(try SetNotify(fields))
    case "openL2CAP": self = .openL2CAP(try OpenL2CAP(fields))
    case "l2capClose": self = .l2capClose(try L2CAPClose(fields))
    case "l2capPause": self = .l2capPause(try L2CAPPause(fields))
    case "retrievePeripherals": self = .retrievePeripherals(try RetrievePeripherals(fields))
    case "registerForConnectionEvents": self = .registerForConnectionEvents(try RegisterForConnectionEvents(fields))
    case "setMockConfiguration": self = .setMockConfiguration(try SetMockConfiguration(fields))
    case "clearMockConfiguration": self = .clearMockConfiguration(try ClearMockConfiguration(fields))
    case "status": self = .status(try Status(fields))
    case "devices": self = .devices(try Devices(fields))
    case "setMode": self = .setMode(try SetMode(fields))
    case "setFault": self = .setFault(try SetFault(fields))
    case "clearFaults": self = .clearFaults(try ClearFaults(fields))
    case "enterPasskey": self = .enterPasskey(try EnterPasskey(fields))
    case "faults": self = .faults(try Faults(fields))
    default:
      if let request = try PeripheralRequest(type: type, fields) {
        self = .peripheral(request)
      } else {
        self = .unknown(type: type.string ?? "")
      }
    }
  }

  /// Appends the message as one line, LF included.
  public func appendLine(to line: inout [UInt8]) {
    switch self {
    case .hello(let body): body.appendLine(to: &line)
    case .scan(let body): body.appendLine(to: &line)
    case .stopScan(let body): body.appendLine(to: &line)
    case .connect(let body): body.appendLine(to: &line)
    case .cancel(let body): body.appendLine(to: &line)
    case .readRSSI(let body): body.appendLine(to: &line)
    case .discoverServices(let body): body.appendLine(to: &line)
    case .discoverIncludedServices(let body): body.appendLine(to: &line)
    case .discoverCharacteristics(let body): body.appendLine(to: &line)
    case .discoverDescriptors(let body): body.appendLine(to: &line)
    case .read(let body): body.appendLine(to: &line)
    case .write(let body): body.appendLine(to: &line)
    case .readDescriptor(let body): body.appendLine(to: &line)
    case .writeDescriptor(let body): body.appendLine(to: &line)
    case .setNotify(let body): body.appendLine(to: &line)
    case .openL2CAP(let body): body.appendLine(to: &line)
    case .l2capWrite(let body): body.appendLine(to: &line)
    case .l2capClose(let body): body.appendLine(to: &line)
    case .l2capPause(let body): body.appendLine(to: &line)
    case .peripheral(let request): request.appendLine(to: &line)
    case .registerForConnectionEvents(let body): body.appendLine(to: &line)
    case .retrievePeripherals(let body): body.appendLine(to: &line)
    case .setMockConfiguration(let body): body.appendLine(to: &line)
    case .clearMockConfiguration(let body): body.appendLine(to: &line)
    case .status(let body): body.appendLine(to: &line)
    case .devices(let body): body.appendLine(to: &line)
    case .setMode(let body): body.appendLine(to: &line)
    case .setFault(let body): body.appendLine(to: &line)
    case .clearFaults(let body): body.appendLine(to: &line)
    case .enterPasskey(let body): body.appendLine(to: &line)
    case .faults(let body): body.appendLine(to: &line)
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
