/// A client in a status.
public struct ClientStatus: Hashable, Sendable {
  /// Counts the connections of this run of the service.
  public var id: Int
  /// Of the socket's peer, else as the client says.
  public var pid: Int?
  public var process: String?
  public var bundleId: String?
  public var clientVersion: String?
  /// Those granted.
  public var features: Features
  public var isScanning: Bool
  public var connectedPeripherals: [PeripheralIdentifier]
  /// Seconds since 1970.
  public var connectedSince: Double

  public init(
    id: Int, pid: Int? = nil, process: String? = nil, bundleId: String? = nil, clientVersion: String? = nil,
    features: Features = [], isScanning: Bool, connectedPeripherals: [PeripheralIdentifier], connectedSince: Double
  ) {
    self.id = id
    self.pid = pid
    self.process = process
    self.bundleId = bundleId
    self.clientVersion = clientVersion
    self.features = features
    self.isScanning = isScanning
    self.connectedPeripherals = connectedPeripherals
    self.connectedSince = connectedSince
  }
}

extension ClientStatus: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.int("id")
    pid = try fields.optionalInt("pid")
    process = try fields.optionalString("process")
    bundleId = try fields.optionalString("bundleId")
    clientVersion = try fields.optionalString("clientVersion")
    features = Features(names: try fields.strings("features"))
    isScanning = try fields.bool("isScanning")
    connectedPeripherals = try fields.peripherals("connectedPeripherals")
    connectedSince = try fields.double("connectedSince")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("id", id)
    writer.field("pid", pid)
    writer.field("process", process)
    writer.field("bundleId", bundleId)
    writer.field("clientVersion", clientVersion)
    writer.key("features")
    writer.strings(features.names)
    writer.field("isScanning", isScanning)
    writer.key("connectedPeripherals")
    writer.peripherals(connectedPeripherals)
    writer.field("connectedSince", connectedSince)
  }
}
