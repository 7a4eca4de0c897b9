import BridgeIO
public import DBus

/// A GATT application that a client registered, as it described itself.
public struct FakeApplication: Sendable {
  public var owner: String
  public var path: ObjectPath
  /// Path, interface, property.
  public var objects: [String: [String: [String: Value]]]
}

/// An advertisement that a client registered.
public struct FakeLEAdvertisement: Sendable {
  public var owner: String
  public var path: ObjectPath
  public var properties: [String: Value]
}

/// GattManager1 and LEAdvertisingManager1: both ask the client about its objects before they reply.
extension FakeAdapter {
  func servePeripheralRole(_ object: FakeObject) {
    object.on(FakeNames.gattManager, "RegisterApplication") { [unowned self] in registerApplication($0) }
    object.on(FakeNames.gattManager, "UnregisterApplication") { [unowned self] in unregisterApplication($0) }
    object.on(FakeNames.advertisingManager, "RegisterAdvertisement") { [unowned self] in registerAdvertisement($0) }
    object.on(FakeNames.advertisingManager, "UnregisterAdvertisement") { [unowned self] in
      unregisterAdvertisement($0)
    }
  }

  private func registerApplication(_ call: FakeCall) {
    guard let path = call.arguments.first?.objectPath else { return call.fail(.bluezInvalidArguments) }
    guard !applications.contains(where: { $0.owner == call.sender && $0.path == path }) else {
      return call.fail(.bluezAlreadyExists)
    }
    let question = Message.methodCall(
      to: call.sender, path: path, interface: FakeNames.objectManager, member: "GetManagedObjects")
    fake.connection?.call(question) { [weak self] result in
      guard let self else { return }
      guard case .success(let reply) = result, let objects = Self.objects(in: reply), !objects.isEmpty else {
        return call.fail(.bluez("Failed", "No object received"))
      }
      guard objects.values.contains(where: { $0[FakeNames.service] != nil }) else {
        return call.fail(.bluez("Failed", "No valid service object found"))
      }
      applications.append(FakeApplication(owner: call.sender, path: path, objects: objects))
      call.reply()
    }
  }

  /// The content of an `a{oa{sa{sv}}}`.
  private static func objects(in reply: Message) -> [String: [String: [String: Value]]]? {
    guard case .array("{oa{sa{sv}}}", let entries)? = reply.arguments.first else { return nil }
    var objects: [String: [String: [String: Value]]] = [:]
    for case .entry(.objectPath(let path), .array(_, let interfaces)) in entries {
      for case .entry(.string(let interface), .properties(let properties)) in interfaces {
        objects[path.text, default: [:]][interface] = properties
      }
    }
    return objects
  }

  private func unregisterApplication(_ call: FakeCall) {
    let path = call.arguments.first?.objectPath
    guard let index = applications.firstIndex(where: { $0.owner == call.sender && $0.path == path }) else {
      return call.fail(.bluezDoesNotExist)
    }
    applications.remove(at: index)
    call.reply()
  }

  private func registerAdvertisement(_ call: FakeCall) {
    guard let path = call.arguments.first?.objectPath else { return call.fail(.bluezInvalidArguments) }
    guard !advertisements.contains(where: { $0.owner == call.sender && $0.path == path }) else {
      return call.fail(.bluezAlreadyExists)
    }
    guard isPowered else { return call.fail(.bluez("Failed", "Failed to register advertisement")) }
    let question = Message.methodCall(
      to: call.sender, path: path, interface: FakeNames.properties, member: "GetAll")
    fake.connection?.call(question.append(.string(FakeNames.advertisement))) { [weak self] result in
      guard let self else { return }
      guard case .success(let reply) = result, let properties = reply.arguments.first?.properties,
        properties["Type"] != nil
      else { return call.fail(.bluez("Failed", "Failed to parse advertisement.")) }
      advertisements.append(FakeLEAdvertisement(owner: call.sender, path: path, properties: properties))
      updateAdvertisingInstances()
      call.reply()
    }
  }

  private func unregisterAdvertisement(_ call: FakeCall) {
    let path = call.arguments.first?.objectPath
    guard let index = advertisements.firstIndex(where: { $0.owner == call.sender && $0.path == path }) else {
      return call.fail(.bluezDoesNotExist)
    }
    advertisements.remove(at: index)
    updateAdvertisingInstances()
    call.reply()
  }

  func updateAdvertisingInstances() {
    guard let object else { return }
    let active = UInt8(advertisements.count)
    tree.update(object, FakeNames.advertisingManager, "ActiveInstances", .byte(active))
    tree.update(object, FakeNames.advertisingManager, "SupportedInstances", .byte(5 - min(5, active)))
  }
}
