/// A device that saw GATT or L2CAP traffic.
public struct DeviceActivity: Hashable, Sendable {
  public var id: PeripheralIdentifier
  /// Empty if never known.
  public var name: String
  public var address: String?
  /// How often each kind of operation was asked for: `Read`, `Write`, `Subscribe`, `Open L2CAP` …
  public var operations: [String: Int]
  public var bytesRead: Int
  public var bytesWritten: Int
  public var notifications: Int
  /// Seconds since 1970.
  public var firstAt: Double
  /// Seconds since 1970.
  public var lastAt: Double
  public var lastOperation: String
  /// The characteristic's or descriptor's UUID, or `PSM n`.
  public var lastDetail: String
  /// Whether `lastAt` is no more than 1.5 s ago.
  public var isActive: Bool
  /// Operations altogether.
  public var count: Int
  public var clients: [ActivityClient]

  public init(
    id: PeripheralIdentifier, name: String, address: String?, operations: [String: Int], bytesRead: Int,
    bytesWritten: Int, notifications: Int, firstAt: Double, lastAt: Double, lastOperation: String, lastDetail: String,
    isActive: Bool, count: Int, clients: [ActivityClient]
  ) {
    self.id = id
    self.name = name
    self.address = address
    self.operations = operations
    self.bytesRead = bytesRead
    self.bytesWritten = bytesWritten
    self.notifications = notifications
    self.firstAt = firstAt
    self.lastAt = lastAt
    self.lastOperation = lastOperation
    self.lastDetail = lastDetail
    self.isActive = isActive
    self.count = count
    self.clients = clients
  }
}

extension DeviceActivity: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    name = try fields.optionalString("name") ?? ""
    address = try fields.optionalString("address")
    operations = try fields.counts("operations")
    bytesRead = try fields.int("bytesRead")
    bytesWritten = try fields.int("bytesWritten")
    notifications = try fields.int("notifications")
    firstAt = try fields.double("firstAt")
    lastAt = try fields.double("lastAt")
    lastOperation = try fields.string("lastOperation")
    lastDetail = try fields.string("lastDetail")
    isActive = try fields.bool("isActive")
    count = try fields.int("count")
    clients = try fields.objects("clients", ActivityClient.init)
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.field("name", name)
    writer.field("address", address)
    writer.key("operations")
    writer.object(operations.mapValues { .integer($0) })
    writer.field("bytesRead", bytesRead)
    writer.field("bytesWritten", bytesWritten)
    writer.field("notifications", notifications)
    writer.field("firstAt", firstAt)
    writer.field("lastAt", lastAt)
    writer.field("lastOperation", lastOperation)
    writer.field("lastDetail", lastDetail)
    writer.field("isActive", isActive)
    writer.field("count", count)
    writer.key("clients")
    writer.objects(clients)
  }
}

extension MessageFields {
  /// An object whose members are all integers; absent means none.
  fileprivate func counts(_ key: StaticString) throws(FieldError) -> [String: Int] {
    var counts: [String: Int] = [:]
    for (name, value) in try tree(key) ?? [:] {
      guard case .integer(let count) = value else { throw FieldError("\(key).\(name)", .not(.integer)) }
      counts[name] = count
    }
    return counts
  }
}
