import BridgeIO
import DBus

/// One object of the fake's tree: its interfaces' properties, and what of them is not yet signalled.
@BridgeQueue
final class FakeObject {
  typealias Method = @BridgeQueue (FakeCall) -> Void
  typealias Setter = @BridgeQueue (_ property: String, _ value: Value, _ call: FakeCall) -> Void

  let path: String
  fileprivate(set) var interfaces: [String: [String: Value]]
  /// By `interface.member`.
  var methods: [String: Method] = [:]
  /// Of writable properties, by interface. Answers the call.
  var setters: [String: Setter] = [:]

  // Not yet signalled.
  fileprivate var isDirty = false
  fileprivate var addedInterfaces: Set<String> = []
  fileprivate var removedInterfaces: Set<String> = []
  fileprivate var changes: [(interface: String, name: String)] = []

  init(path: String, interfaces: [String: [String: Value]]) {
    self.path = path
    self.interfaces = interfaces
  }

  func property(_ interface: String, _ name: String) -> Value? { interfaces[interface]?[name] }

  func on(_ interface: String, _ member: String, _ method: @escaping Method) {
    methods[interface + "." + member] = method
  }
}

/// All objects, and their signals in the manner of BlueZ's gdbus: changes are gathered per object, told when the turn
/// ends or a reply goes out, an interface that comes and goes in between is never mentioned, and one that is not yet
/// announced changes silently.
///
/// - Source: BlueZ `gdbus/object.c`.
@BridgeQueue
final class FakeObjectTree {
  var connection: Connection?
  private(set) var objects: [String: FakeObject] = [:]
  private var dirty: [FakeObject] = []
  private var willFlush = false

  func add(_ path: String, _ interfaces: [String: [String: Value]]) -> FakeObject {
    let object = FakeObject(path: path, interfaces: interfaces)
    object.addedInterfaces = Set(interfaces.keys)
    objects[path] = object
    mark(object)
    return object
  }

  func add(_ interface: String, _ properties: [String: Value], to object: FakeObject) {
    object.interfaces[interface] = properties
    if object.removedInterfaces.remove(interface) == nil { object.addedInterfaces.insert(interface) }
    mark(object)
  }

  func remove(_ interface: String, from object: FakeObject) {
    guard object.interfaces.removeValue(forKey: interface) != nil else { return }
    object.changes.removeAll { $0.interface == interface }
    if object.addedInterfaces.remove(interface) == nil { object.removedInterfaces.insert(interface) }
    mark(object)
  }

  func remove(_ path: String) {
    guard let object = objects.removeValue(forKey: path) else { return }
    for interface in object.interfaces.keys { remove(interface, from: object) }
  }

  /// nil takes the property away, which is told as invalidated. Told even if the value is the same.
  func set(_ object: FakeObject, _ interface: String, _ name: String, _ value: Value?) {
    guard object.interfaces[interface] != nil else { return }
    if value == nil && object.interfaces[interface]?[name] == nil { return }
    object.interfaces[interface]?[name] = value
    guard !object.addedInterfaces.contains(interface) else { return }
    if !object.changes.contains(where: { $0.interface == interface && $0.name == name }) {
      object.changes.append((interface, name))
    }
    mark(object)
  }

  /// As `set`, silent when nothing changes.
  func update(_ object: FakeObject, _ interface: String, _ name: String, _ value: Value?) {
    if object.interfaces[interface]?[name] != value { set(object, interface, name, value) }
  }

  func removeAll() {
    objects = [:]
    dirty = []
  }

  // MARK: Signals

  private func mark(_ object: FakeObject) {
    if !object.isDirty {
      object.isDirty = true
      dirty.append(object)
    }
    guard !willFlush else { return }
    willFlush = true
    BridgeQueue.atEndOfTurn { [weak self] in
      self?.willFlush = false
      self?.flush()
    }
  }

  func flush() {
    guard !dirty.isEmpty else { return }
    let objects = dirty
    dirty = []
    for object in objects { flush(object) }
  }

  private func flush(_ object: FakeObject) {
    object.isDirty = false
    if !object.removedInterfaces.isEmpty {
      let names = Value.strings(object.removedInterfaces.sorted())
      object.removedInterfaces = []
      emit("/", FakeNames.objectManager, "InterfacesRemoved", .objectPath(ObjectPath(object.path)), names)
    }
    if !object.addedInterfaces.isEmpty {
      let added = description(of: object) { object.addedInterfaces.contains($0) }
      object.addedInterfaces = []
      emit("/", FakeNames.objectManager, "InterfacesAdded", .objectPath(ObjectPath(object.path)), added)
    }
    while let interface = object.changes.first?.interface {
      emitChanges(of: interface, object)
      object.changes.removeAll { $0.interface == interface }
    }
  }

  private func emitChanges(of interface: String, _ object: FakeObject) {
    var changed: [String: Value] = [:]
    var invalidated: [String] = []
    for change in object.changes where change.interface == interface {
      if let value = object.interfaces[interface]?[change.name] {
        changed[change.name] = value
      } else {
        invalidated.append(change.name)
      }
    }
    emitChanged(object, interface, changed, invalidated)
  }

  /// At once and by itself, behind what is waiting: how bluetoothd tells characteristic values.
  func emitChanged(
    _ object: FakeObject, _ interface: String, _ changed: [String: Value], _ invalidated: [String] = []
  ) {
    emit(
      object.path, FakeNames.properties, "PropertiesChanged", .string(interface), .properties(changed),
      .strings(invalidated))
  }

  private func emit(_ path: String, _ interface: String, _ member: String, _ values: Value...) {
    guard let connection else { return }
    let signal = Message.signal(path: ObjectPath(path), interface: interface, member: member)
    connection.send(signal.append(contentsOf: values))
  }

  // MARK: Descriptions

  /// `a{sa{sv}}`, with the standard interfaces that gdbus lists on every object.
  private func description(of object: FakeObject, where isWanted: (String) -> Bool = { _ in true }) -> Value {
    var entries: [Value] = []
    for name in [FakeNames.introspectable, FakeNames.properties] {
      entries.append(.entry(key: .string(name), value: .properties([:])))
    }
    for (name, properties) in object.interfaces where isWanted(name) {
      entries.append(.entry(key: .string(name), value: .properties(properties)))
    }
    return .array(element: "{sa{sv}}", entries)
  }

  /// The answer to GetManagedObjects, `a{oa{sa{sv}}}`.
  var managedObjects: Value {
    .array(
      element: "{oa{sa{sv}}}",
      objects.values.map { .entry(key: .objectPath(ObjectPath($0.path)), value: description(of: $0)) })
  }
}
