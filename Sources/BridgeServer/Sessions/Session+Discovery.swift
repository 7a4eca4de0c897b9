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
    whenReady(request.id, message) { [self] (_, table) in
      guard let service = table.service(request.serviceId) else { return fail(message, .unknownObject) }
      let included = service.attribute.includedServices.compactMap { table.service(handle: $0) }
        .filter { request.services.admit($0.attribute.uuid) }
      send(
        .didDiscoverIncludedServices(
          DidDiscoverIncludedServices(
            id: request.id, serviceId: request.serviceId, includedServices: included.map(\.discovered))))
    }
  }

  func discoverCharacteristics(_ request: DiscoverCharacteristics, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (_, table) in
      guard let service = table.service(request.serviceId) else { return fail(message, .unknownObject) }
      let found = service.characteristics.filter { request.characteristics.admit($0.attribute.uuid) }
      send(
        .didDiscoverCharacteristics(
          DidDiscoverCharacteristics(
            id: request.id, serviceId: request.serviceId,
            characteristics: found.map {
              DiscoveredCharacteristic(id: $0.id, uuid: $0.attribute.uuid, properties: $0.attribute.properties)
            })))
    }
  }

  func discoverDescriptors(_ request: DiscoverDescriptors, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (_, table) in
      guard let characteristic = table.characteristic(request.characteristicId) else {
        return fail(message, .unknownObject)
      }
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

extension AttributeTable.Service {
  fileprivate var discovered: DiscoveredService {
    DiscoveredService(id: id, uuid: attribute.uuid, isPrimary: attribute.isPrimary)
  }
}

extension [BluetoothUUID] {
  /// As a filter: an empty one admits all.
  fileprivate func admit(_ uuid: BluetoothUUID) -> Bool { isEmpty || contains(uuid) }
}
