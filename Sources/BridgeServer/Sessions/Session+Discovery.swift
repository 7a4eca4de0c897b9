import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  func discoverServices(_ request: DiscoverServices, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (connection, table) in
      let services = table.services.filter { $0.attribute.isPrimary && request.services.admit($0.attribute.uuid) }
      send(.didDiscoverServices(DidDiscoverServices(id: request.id, services: services.map(\.discovered))))
      tellWriteLength(connection)
    }
  }

  func discoverIncludedServices(_ request: DiscoverIncludedServices, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (connection, table) in
      guard let service = table.service(request.serviceId) else {
        return fail(message, connection.unknown(request.serviceId) ?? .unknownObject)
      }
      let included = service.attribute.includedServices.compactMap { table.service(handle: $0) }
        .filter { request.services.admit($0.attribute.uuid) }
      step(.includedServices(service.attribute.handle), connection, message) { [self] in
        send(
          .didDiscoverIncludedServices(
            DidDiscoverIncludedServices(
              id: request.id, serviceId: request.serviceId, includedServices: included.map(\.discovered))))
      }
    }
  }

  func discoverCharacteristics(_ request: DiscoverCharacteristics, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (connection, table) in
      guard let service = table.service(request.serviceId) else {
        return fail(message, connection.unknown(request.serviceId) ?? .unknownObject)
      }
      let found = service.characteristics.filter { request.characteristics.admit($0.attribute.uuid) }
      step(.characteristics(service.attribute.handle), connection, message) { [self] in
        send(
          .didDiscoverCharacteristics(
            DidDiscoverCharacteristics(
              id: request.id, serviceId: request.serviceId,
              characteristics: found.map(\.discovered))))
      }
    }
  }

  func discoverDescriptors(_ request: DiscoverDescriptors, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (connection, table) in
      guard let characteristic = table.characteristic(request.characteristicId) else {
        return fail(message, connection.unknown(request.characteristicId) ?? .unknownObject)
      }
      step(.descriptors(characteristic.attribute.handle), connection, message) { [self] in
        send(
          .didDiscoverDescriptors(
            DidDiscoverDescriptors(
              id: request.id, characteristicId: request.characteristicId,
              descriptors: characteristic.descriptors.map {
                DiscoveredDescriptor(id: $0.id, uuid: $0.attribute.uuid)
              })))
      }
    }
  }

  /// Answers from the table at once, unless a fault has a word to say first.
  private func step(
    _ step: DiscoveryStep, _ connection: Connection, _ message: ClientMessage,
    _ answer: @escaping @BridgeQueue () -> Void
  ) {
    let isHeld = connection.radio.holdsDiscovery(step, of: connection.id) { [self] result in
      connection.finished()
      guard connection.state == .connected else { return }
      if let error = result.failure { fail(message, error) } else { answer() }
    }
    if isHeld { connection.began() } else { answer() }
  }
}

extension AttributeTable.Service {
  var discovered: DiscoveredService {
    DiscoveredService(id: id, uuid: attribute.uuid, isPrimary: attribute.isPrimary)
  }
}

extension AttributeTable.Characteristic {
  var discovered: DiscoveredCharacteristic {
    DiscoveredCharacteristic(id: id, uuid: attribute.uuid, properties: attribute.properties)
  }
}

extension [BluetoothUUID] {
  /// As a filter: an empty one admits all.
  fileprivate func admit(_ uuid: BluetoothUUID) -> Bool { isEmpty || contains(uuid) }
}
