import BridgeIO
import BridgeProtocol
import DBus
import Radio

/// A device's attributes, built from bluetoothd's objects below it.
@BridgeQueue
struct AttributeTable {
  private(set) var database = GATTDatabase(services: [])
  /// The characteristics and descriptors in `database`.
  private(set) var attributes: [AttributeHandle: Attribute] = [:]
  private(set) var byPath: [String: Attribute] = [:]

  /// One object as bluetoothd announces it.
  struct Object {
    var path: String
    var properties: [String: Value]
  }

  /// - Parameters:
  ///   - replaced: paths of services that took another's place; bluetoothd calls them secondary whatever they are.
  ///   - previous: attributes that are kept, with their subscription, where nothing about them changed.
  init(
    services: [Object], characteristics: [Object], descriptors: [Object], replaced: Set<String> = [],
    keeping previous: [String: Attribute] = [:]
  ) {
    var builder = Builder(replaced: replaced, previous: previous)
    builder.add(descriptors: descriptors)
    builder.add(characteristics: characteristics)
    for object in services { builder.read(service: object) }
    database = builder.database(of: services)
    for attribute in builder.found {
      attributes[attribute.handle] = attribute
      byPath[attribute.path.text] = attribute
    }
  }

  init(
    below devicePath: String, of cache: ObjectCache, replaced: Set<String>, keeping previous: [String: Attribute]
  ) {
    func objects(_ interface: String) -> [Object] {
      cache.paths(below: devicePath, with: interface).compactMap { path in
        cache.properties(of: path, interface).map { Object(path: path, properties: $0) }
      }
    }
    self.init(
      services: objects(GATTNames.service), characteristics: objects(GATTNames.characteristic),
      descriptors: objects(GATTNames.descriptor), replaced: replaced, keeping: previous)
  }

  /// What `didModifyServices` has to say: services that are gone or no longer what they were, and whether there is
  /// anything to say at all. Includes do not count: bluetoothd announces them late.
  ///
  /// - Parameter touched: handles of services of which some object was taken away meanwhile, even if it came back.
  static func changes(from old: GATTDatabase, to new: GATTDatabase, touched: Set<AttributeHandle>)
    -> (invalidated: [AttributeHandle], any: Bool)
  {
    let now = Dictionary(new.services.map { ($0.handle, $0) }, uniquingKeysWith: { first, _ in first })
    var invalidated: [AttributeHandle] = []
    for service in old.services {
      if let same = now[service.handle], !touched.contains(service.handle), same.uuid == service.uuid,
        same.isPrimary == service.isPrimary, same.characteristics == service.characteristics
      {
        continue
      }
      invalidated.append(service.handle)
    }
    let before = Set(old.services.map(\.handle))
    return (invalidated, !invalidated.isEmpty || new.services.contains { !before.contains($0.handle) })
  }
}

// MARK: Paths

extension AttributeTable {
  /// The handle in `/…/service001a`, `/…/char001b` or `/…/desc001d`.
  nonisolated static func handle(of path: String, _ kind: String) -> AttributeHandle? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let name = path.utf8[path.utf8.index(after: slash)...]
    guard name.starts(with: kind.utf8) else { return nil }
    let digits = name.dropFirst(kind.utf8.count)
    guard digits.count == 4 else { return nil }
    return UInt16(Substring(digits), radix: 16)
  }

  nonisolated static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return String(path[..<slash])
  }

  /// The service's own path in the path of anything in or below it; nil for paths outside a device's attributes.
  nonisolated static func servicePath(of path: String, below devicePath: String) -> String? {
    guard path.utf8.starts(with: devicePath.utf8) else { return nil }
    let rest = path.utf8.dropFirst(devicePath.utf8.count)
    guard rest.starts(with: "/service".utf8) else { return nil }
    guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[..<end])
  }
}

// MARK: Building

private typealias Object = AttributeTable.Object

extension AttributeTable {
  @BridgeQueue
  fileprivate struct Builder {
    private struct Service {
      var handle: AttributeHandle
      var uuid: BluetoothUUID
      var isPrimary: Bool
      var includes: [String]
    }

    let replaced: Set<String>
    let previous: [String: Attribute]
    private var services: [String: Service] = [:]
    private var characteristics: [String: [Object]] = [:]
    private var descriptors: [String: [Object]] = [:]
    private(set) var found: [Attribute] = []

    init(replaced: Set<String>, previous: [String: Attribute]) {
      self.replaced = replaced
      self.previous = previous
    }

    mutating func add(descriptors objects: [Object]) {
      for object in objects { descriptors[parent(of: object.path), default: []].append(object) }
    }

    mutating func add(characteristics objects: [Object]) {
      for object in objects { characteristics[parent(of: object.path), default: []].append(object) }
    }

    mutating func read(service object: Object) {
      guard let handle = handle(of: object.path, "service"), let uuid = uuid(of: object),
        uuid != .genericAccess, uuid != .genericAttribute
      else { return }
      services[object.path] = Service(
        handle: handle, uuid: uuid, isPrimary: object.properties["Primary"]?.bool ?? true,
        includes: object.properties["Includes"]?.strings ?? [])
    }

    mutating func database(of objects: [Object]) -> GATTDatabase {
      let included = Set(services.values.flatMap(\.includes))
      var list: [GATTService] = []
      for (path, service) in services.sorted(by: { $0.value.handle < $1.value.handle }) {
        let isPrimary = service.isPrimary || (replaced.contains(path) && !included.contains(path))
        list.append(
          GATTService(
            handle: service.handle, uuid: service.uuid, isPrimary: isPrimary,
            includedServices: service.includes.compactMap { services[$0]?.handle }.sorted(),
            characteristics: characteristics(in: path, service.uuid)))
      }
      return GATTDatabase(services: list)
    }

    private mutating func characteristics(in servicePath: String, _ service: BluetoothUUID) -> [GATTCharacteristic] {
      var list: [GATTCharacteristic] = []
      for object in characteristics[servicePath] ?? [] {
        guard let handle = handle(of: object.path, "char"), let uuid = uuid(of: object) else { continue }
        let properties = CharacteristicProperties(flags: object.properties["Flags"]?.strings ?? [])
        let descriptors = descriptors(of: object.path, service)
        keep(
          Attribute(
            kind: .characteristic, path: ObjectPath(object.path), handle: handle, uuid: uuid, service: service,
            properties: properties,
            isConfigurable: descriptors.contains { $0.uuid == .clientCharacteristicConfiguration }))
        list.append(GATTCharacteristic(handle: handle, uuid: uuid, properties: properties, descriptors: descriptors))
      }
      return list.sorted { $0.handle < $1.handle }
    }

    private mutating func descriptors(of characteristicPath: String, _ service: BluetoothUUID) -> [GATTDescriptor] {
      var list: [GATTDescriptor] = []
      for object in descriptors[characteristicPath] ?? [] {
        guard let handle = handle(of: object.path, "desc"), let uuid = uuid(of: object) else { continue }
        keep(
          Attribute(
            kind: .descriptor, path: ObjectPath(object.path), handle: handle, uuid: uuid, service: service))
        list.append(GATTDescriptor(handle: handle, uuid: uuid))
      }
      return list.sorted { $0.handle < $1.handle }
    }

    private mutating func keep(_ attribute: Attribute) {
      if let old = previous[attribute.path.text], old.isSame(as: attribute) {
        found.append(old)
      } else {
        found.append(attribute)
      }
    }

    private func uuid(of object: Object) -> BluetoothUUID? {
      object.properties["UUID"]?.string.flatMap { BluetoothUUID($0) }
    }
    private func handle(of path: String, _ kind: String) -> AttributeHandle? {
      AttributeTable.handle(of: path, kind)
    }
    private func parent(of path: String) -> String { AttributeTable.parent(of: path) }
  }
}

extension CharacteristicProperties {
  /// Reads `GattCharacteristic1.Flags`. `reliable-write` and `writable-auxiliaries` come from a descriptor and add
  /// nothing; whether encryption is needed is not known of a remote characteristic.
  init(flags: [String]) {
    self = []
    for flag in flags {
      switch flag {
      case "broadcast": insert(.broadcast)
      case "read": insert(.read)
      case "write-without-response": insert(.writeWithoutResponse)
      case "write": insert(.write)
      case "notify": insert(.notify)
      case "indicate": insert(.indicate)
      case "authenticated-signed-writes": insert(.authenticatedSignedWrites)
      case "extended-properties": insert(.extendedProperties)
      default: break
      }
    }
  }
}
