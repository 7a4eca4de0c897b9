import BridgeProtocol

/// Connects to one device through the service and looks at everything in it: services, characteristics, descriptors and
/// their values.
///
/// Each step has its limit. Whatever happens, the link is let go of at the end.
final class DeviceInspection {
  typealias Failure = ServiceClient.Failure

  /// What ended an inspection before its end.
  private enum Stop: Error {
    /// The device went, or never came.
    case link(String)
    case service(Failure)
  }

  private let service: ServiceClient
  private let sighting: Sighting
  private let limits: InspectionLimits
  private let notificationTime: Duration?
  private var services: [MockService] = []
  private var isConnected = false
  private var hasServices = false
  private var writeLength: Int?
  /// What did not succeed, for people.
  private(set) var problems: [String] = []
  private(set) var readValues = 0
  private var recorder = NotificationRecorder()
  var notifications: Int { recorder.count }

  init(_ sighting: Sighting, through service: ServiceClient, limits: InspectionLimits, notificationTime: Duration?) {
    self.sighting = sighting
    self.service = service
    self.limits = limits
    self.notificationTime = notificationTime
  }

  private var id: PeripheralIdentifier { sighting.id }

  /// The device as far as it could be seen: without services if it could not be connected to, or told none, those that it
  /// advertises.
  ///
  /// - Throws: when the service is gone.
  func run() throws(Failure) -> MockDevice {
    var device = sighting.device
    do throws(Stop) {
      try connect()
      try discover()
      if let notificationTime { try recordNotifications(for: notificationTime) }
    } catch {
      switch error {
      case .service(let failure): throw failure
      case .link(let problem):
        problems.append(problem)
        // An inspected device may have no services; one that was not inspected has those that it advertises.
        hasServices = hasServices && !services.isEmpty
      }
    }
    try disconnect()
    recorder.put(into: &services)
    if hasServices { device.services = services }
    if let writeLength { device.mtu = min(517, max(23, writeLength + 3)) }
    return device
  }

  // MARK: The link

  private func connect() throws(Stop) {
    service.send(.connect(Connect(id: id)))
    isConnected = true
    let answer = try answer(within: limits.connect) { [id] message in
      switch message {
      case .didConnect(let reply) where reply.id == id: .some(nil as BluetoothError?)
      case .didFailConnect(let reply) where reply.id == id: .some(reply.error ?? .connectionFailed)
      default: nil
      }
    }
    guard let answer else { throw .link("no connection within \(limits.connect)") }
    if let error = answer {
      isConnected = false
      throw .link("no connection: \(error.text)")
    }
  }

  /// Also withdraws a connect that is still under way.
  private func disconnect() throws(Failure) {
    guard isConnected else { return }
    service.send(.cancel(Cancel(id: id)))
    let deadline = ContinuousClock.now + limits.disconnect
    while let message = try service.receive(by: deadline) {
      if case .didDisconnect(let event) = message, event.id == id { return }
    }
  }

  // MARK: Attributes

  private func discover() throws(Stop) {
    service.send(.discoverServices(DiscoverServices(id: id)))
    let found = try answer(within: limits.discovery) { [id] message in
      if case .didDiscoverServices(let reply) = message, reply.id == id { reply } else { nil }
    }
    guard let found else { throw .link("no services within \(limits.discovery)") }
    if let error = found.error { throw .link("no services: \(error.text)") }
    hasServices = true
    var queue = found.services
    var included: [String: [String]] = [:]
    var names: [String] = []
    while names.count < queue.count, names.count < Self.serviceLimit {
      let next = queue[names.count]
      names.append(next.id)
      services.append(
        MockService(id: MockIdentifier(derivedFrom: next.id), uuid: next.uuid, isPrimary: next.isPrimary))
      let inside = try includedServices(of: next)
      included[next.id] = inside.map(\.id)
      for service in inside where !queue.contains(where: { $0.id == service.id }) { queue.append(service) }
      try characteristics(of: next)
    }
    for (index, name) in names.enumerated() {
      services[index].includedServices = (included[name] ?? []).filter(names.contains).map {
        MockIdentifier(derivedFrom: $0)
      }
    }
  }

  /// A device that includes its services in one another without end is hostile.
  private static let serviceLimit = 1024

  private func includedServices(of found: DiscoveredService) throws(Stop) -> [DiscoveredService] {
    service.send(.discoverIncludedServices(DiscoverIncludedServices(id: id, serviceId: found.id, services: [])))
    let reply = try answer(within: limits.discovery) { message in
      if case .didDiscoverIncludedServices(let reply) = message, reply.serviceId == found.id { reply } else { nil }
    }
    note(reply == nil, reply?.error, "included services of \(found.uuid.text)")
    return reply?.includedServices ?? []
  }

  private func characteristics(of found: DiscoveredService) throws(Stop) {
    service.send(.discoverCharacteristics(DiscoverCharacteristics(id: id, serviceId: found.id, characteristics: [])))
    let reply = try answer(within: limits.discovery) { message in
      if case .didDiscoverCharacteristics(let reply) = message, reply.serviceId == found.id { reply } else { nil }
    }
    note(reply == nil, reply?.error, "characteristics of \(found.uuid.text)")
    let place = services.count - 1
    services[place].characteristics = (reply?.characteristics ?? []).map {
      MockCharacteristic(id: MockIdentifier(derivedFrom: $0.id), uuid: $0.uuid, properties: $0.properties)
    }
    let characteristics = reply?.characteristics ?? []
    for (index, characteristic) in characteristics.enumerated() {
      try descriptors(of: characteristic) { self.services[place].characteristics[index].descriptors = $0 }
      recorder.add(characteristic, service: place, characteristic: index)
      if characteristic.properties.contains(.read) {
        try read(characteristic, into: \.[place].characteristics[index])
      }
    }
  }

  private func descriptors(
    of found: DiscoveredCharacteristic, keep: ([MockDescriptor]) -> Void
  ) throws(Stop) {
    service.send(.discoverDescriptors(DiscoverDescriptors(id: id, characteristicId: found.id)))
    let reply = try answer(within: limits.discovery) { message in
      if case .didDiscoverDescriptors(let reply) = message, reply.characteristicId == found.id { reply } else { nil }
    }
    note(reply == nil, reply?.error, "descriptors of \(found.uuid.text)")
    var descriptors: [MockDescriptor] = []
    defer { keep(descriptors) }
    for descriptor in reply?.descriptors ?? [] {
      descriptors.append(MockDescriptor(id: MockIdentifier(derivedFrom: descriptor.id), uuid: descriptor.uuid))
      descriptors[descriptors.count - 1].value = try value(of: descriptor)
    }
  }

  // MARK: Values

  private func read(
    _ found: DiscoveredCharacteristic, into place: WritableKeyPath<[MockService], MockCharacteristic>
  ) throws(Stop) {
    service.send(.read(ReadCharacteristic(id: id, characteristicId: found.id)))
    let reply = try answer(within: limits.read) { message in
      if case .didUpdateValue(let reply) = message, reply.characteristicId == found.id { reply } else { nil }
    }
    note(reply == nil, reply?.error, "value of \(found.uuid.text)")
    guard let reply else { return }
    if let error = reply.error {
      services[keyPath: place].readSecurity = Self.security(for: error)
      if services[keyPath: place].readSecurity == nil, error.domain == .attribute {
        services[keyPath: place].behavior = CapturedBehavior.failingReads(error.code)
      }
    } else {
      readValues += 1
      services[keyPath: place].value = reply.value
    }
  }

  /// What the refusal says that an access needs.
  private static func security(for error: BluetoothError) -> MockSecurityLevel? {
    guard error.domain == .attribute else { return nil }
    switch error.code {
    case 0x05: return .authentication
    case 0x0C, 0x0F: return .encryption
    default: return nil
    }
  }

  private func value(of found: DiscoveredDescriptor) throws(Stop) -> [UInt8]? {
    service.send(.readDescriptor(ReadDescriptor(id: id, descriptorId: found.id)))
    let reply = try answer(within: limits.read) { message in
      if case .didUpdateDescriptorValue(let reply) = message, reply.descriptorId == found.id { reply } else { nil }
    }
    note(reply == nil, reply?.error, "descriptor \(found.uuid.text)")
    guard let reply, reply.error == nil else { return nil }
    readValues += 1
    // Who was subscribed is this moment's business: bluetoothd itself subscribes to some.
    return found.uuid == .clientCharacteristicConfiguration ? [0, 0] : reply.value?.bytes ?? []
  }

  // MARK: Notifications

  private func recordNotifications(for time: Duration) throws(Stop) {
    for id in recorder.subscribable {
      service.send(.setNotify(SetNotify(id: self.id, characteristicId: id, enabled: true)))
      let reply = try answer(within: limits.read) { message in
        if case .didUpdateNotification(let reply) = message, reply.characteristicId == id { reply } else { nil }
      }
      note(reply == nil, reply?.error, "notifications of \(recorder.uuid(of: id)?.text ?? id)")
      if reply?.enabled == true { recorder.start(id) }
    }
    guard recorder.isStarted else { return }
    _ = try answer(within: time) { _ in nil as Never? }
  }

  // MARK: Waiting

  /// The answer to the request just sent; nil if there is none in time. A later one is told from it by its ids.
  private func answer<Answer>(within limit: Duration, _ read: (ServerMessage) -> Answer?) throws(Stop) -> Answer? {
    let deadline = ContinuousClock.now + limit
    while let message = try receive(by: deadline) {
      if let answer = read(message) { return answer }
      switch message {
      case .didUpdateValue(let update) where update.error == nil: recorder.keep(update)
      case .didUpdateMTU(let event) where event.id == id: writeLength = event.maximumWriteValueLength
      case .didDisconnect(let event) where event.id == id:
        isConnected = false
        throw .link("the device went: \(event.error?.text ?? "disconnected")")
      default: break
      }
    }
    return nil
  }

  private func receive(by deadline: ContinuousClock.Instant) throws(Stop) -> ServerMessage? {
    do throws(Failure) { return try service.receive(by: deadline) } catch { throw .service(error) }
  }

  private func note(_ isLate: Bool, _ error: BluetoothError?, _ what: String) {
    if isLate { problems.append("\(what): no answer in time") }
    if let error { problems.append("\(what): \(error.text)") }
  }
}

extension BluetoothUUID {
  fileprivate static let clientCharacteristicConfiguration = BluetoothUUID(short: 0x2902)
}
