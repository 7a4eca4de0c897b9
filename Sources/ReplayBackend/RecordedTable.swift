import BridgeProtocol
import Radio

/// What a recording tells of one peripheral's attribute table, from one change of services to the next.
final class RecordedTable {
  private var services = RecordedAttributes()
  /// By each id that the recording uses for it.
  private var byID: [String: RecordedAttribute] = [:]
  private var byHandle: [AttributeHandle: RecordedAttribute] = [:]

  var isEmpty: Bool { services.all.isEmpty }

  func attribute(_ id: String) -> RecordedAttribute? { byID[id] ?? AttributeID(id).flatMap { byID[$0.text] } }

  func attribute(_ handle: AttributeHandle) -> RecordedAttribute? { byHandle[handle] }

  // MARK: What replies tell

  func addServices(_ list: [DiscoveredService]) {
    let known = services.merge(list.map { ($0.id, $0.uuid) }, as: .service)
    for (attribute, entry) in zip(known, list) {
      attribute.isPrimary = entry.isPrimary
      byID[entry.id] = attribute
    }
  }

  func addIncludedServices(_ list: [DiscoveredService], in serviceID: String) {
    guard let service = attribute(serviceID) else { return }
    for entry in list {
      let included = self.included(entry)
      if !service.includedServices.contains(where: { $0 === included }) { service.includedServices.append(included) }
    }
  }

  private func included(_ entry: DiscoveredService) -> RecordedAttribute {
    if let known = byID[entry.id] { return known }
    let attribute = RecordedAttribute(.service, id: entry.id, uuid: entry.uuid, occurrence: .max)
    attribute.isPrimary = entry.isPrimary
    services.append(attribute)
    byID[entry.id] = attribute
    return attribute
  }

  func addCharacteristics(_ list: [DiscoveredCharacteristic], in serviceID: String) {
    guard let service = attribute(serviceID), service.kind == .service else { return }
    let known = service.children.merge(list.map { ($0.id, $0.uuid) }, as: .characteristic)
    for (attribute, entry) in zip(known, list) {
      attribute.properties.formUnion(entry.properties)
      byID[entry.id] = attribute
    }
  }

  func addDescriptors(_ list: [DiscoveredDescriptor], in characteristicID: String) {
    guard let characteristic = attribute(characteristicID), characteristic.kind == .characteristic else { return }
    let known = characteristic.children.merge(list.map { ($0.id, $0.uuid) }, as: .descriptor)
    for (attribute, entry) in zip(known, list) { byID[entry.id] = attribute }
  }

  /// A discovery inside an attribute was answered; one that went well counts before others that failed.
  func note(_ discovery: RecordedDiscovery, in id: String, _ error: BluetoothError?) {
    guard let attribute = attribute(id) else { return }
    if error == nil || attribute.discoveries[discovery] == nil { attribute.discoveries[discovery] = .some(error) }
  }

  /// An attribute that was used without being discovered, by a client that knew its id from an earlier session. The id tells
  /// where it belongs; the use tells a property.
  func addUsed(_ id: String, _ properties: CharacteristicProperties) {
    if let known = attribute(id) {
      if known.kind == .characteristic, known.properties.isEmpty { known.properties = properties }
      return
    }
    guard let parsed = AttributeID(id), parsed.parts.count >= 2 else { return }
    let peripheral = parsed.peripheral
    let service = AttributeID(peripheral, parsed.parts[0])
    if attribute(service.text) == nil {
      addServices([DiscoveredService(id: service.text, uuid: parsed.parts[0].uuid, isPrimary: true)])
    }
    let characteristic = service.appending(parsed.parts[1].uuid, parsed.parts[1].handle)
    let isItself = parsed.parts.count == 2
    if attribute(characteristic.text) == nil {
      addCharacteristics(
        [
          DiscoveredCharacteristic(
            id: characteristic.text, uuid: parsed.parts[1].uuid, properties: isItself ? properties : [])
        ], in: service.text)
    }
    if !isItself {
      addDescriptors([DiscoveredDescriptor(id: parsed.text, uuid: parsed.parts[2].uuid)], in: characteristic.text)
    }
  }

  /// The table after a change: without those services, otherwise the same until discoveries tell more.
  func copy(without removed: [String]) -> RecordedTable {
    let copy = RecordedTable()
    let gone = removed.compactMap { attribute($0) }
    for service in services.all where !gone.contains(where: { $0 === service }) {
      copy.addServices([DiscoveredService(id: service.id, uuid: service.uuid, isPrimary: service.isPrimary)])
      copy.attribute(service.id)?.discoveries = service.discoveries
      copy.addCharacteristics(
        service.children.all.map { DiscoveredCharacteristic(id: $0.id, uuid: $0.uuid, properties: $0.properties) },
        in: service.id)
      for characteristic in service.children.all {
        copy.addDescriptors(
          characteristic.children.all.map { DiscoveredDescriptor(id: $0.id, uuid: $0.uuid) }, in: characteristic.id)
        copy.attribute(characteristic.id)?.discoveries = characteristic.discoveries
      }
    }
    for service in services.all {
      let included = service.includedServices.filter { one in !gone.contains { $0 === one } }
      copy.addIncludedServices(
        included.map { DiscoveredService(id: $0.id, uuid: $0.uuid, isPrimary: $0.isPrimary) }, in: service.id)
    }
    return copy
  }

  // MARK: As a radio gives it

  /// Gives each attribute a handle: the one in its id if those are handles, as they are where this service recorded.
  func assignHandles() {
    let all = services.all.flatMap { service in
      [service] + service.children.all.flatMap { [$0] + $0.children.all }
    }
    let given = all.compactMap(\.handleOfID)
    let areHandles = given.count == all.count && !given.contains(0) && Set(given).count == given.count
    for (index, attribute) in all.enumerated() {
      attribute.handle = areHandles ? given[index] : AttributeHandle(truncatingIfNeeded: index + 1)
      byHandle[attribute.handle] = attribute
    }
    services.sortByHandle()
    for service in services.all {
      service.children.sortByHandle()
      for characteristic in service.children.all { characteristic.children.sortByHandle() }
    }
  }

  var database: GATTDatabase {
    GATTDatabase(
      services: services.all.map { service in
        GATTService(
          handle: service.handle, uuid: service.uuid, isPrimary: service.isPrimary,
          includedServices: service.includedServices.map(\.handle),
          characteristics: service.children.all.map { characteristic in
            GATTCharacteristic(
              handle: characteristic.handle, uuid: characteristic.uuid, properties: characteristic.properties,
              descriptors: characteristic.children.all.map { GATTDescriptor(handle: $0.handle, uuid: $0.uuid) })
          })
      })
  }
}
