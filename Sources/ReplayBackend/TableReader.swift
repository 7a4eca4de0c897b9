import BridgeProtocol

/// Reads the attribute tables out of a recording: first of all, because requests name attributes that only later replies
/// describe.
struct TableReader {
  private(set) var tables: [PeripheralIdentifier: [RecordedTable]] = [:]
  /// Attributes, as the recorded client wrote them, that it was told not to be there.
  private(set) var refusedIDs: Set<String> = []

  init(_ recording: Recording) {
    for line in recording.lines {
      if case .server(let message) = line.message { read(message) }
    }
    noteRefusals(recording)
    for table in tables.values.joined() { table.assignHandles() }
  }

  /// What was asked for and is in none of the tables.
  private mutating func noteRefusals(_ recording: Recording) {
    for line in recording.lines {
      guard case .client(let message) = line.message, let (id, attribute) = message.attribute else { continue }
      if tables[id]?.contains(where: { $0.attribute(attribute) != nil }) != true { refusedIDs.insert(attribute) }
    }
  }

  private mutating func table(of id: PeripheralIdentifier) -> RecordedTable {
    if let table = tables[id]?.last { return table }
    let table = RecordedTable()
    tables[id] = [table]
    return table
  }

  private mutating func read(_ message: ServerMessage) {
    switch message {
    case .didDiscoverServices(let reply) where reply.error == nil: table(of: reply.id).addServices(reply.services)
    case .didDiscoverIncludedServices(let reply):
      if reply.error == nil {
        table(of: reply.id).addIncludedServices(reply.includedServices, in: reply.serviceId)
      }
      table(of: reply.id).note(.includedServices, in: reply.serviceId, reply.error)
    case .didDiscoverCharacteristics(let reply):
      if reply.error == nil { table(of: reply.id).addCharacteristics(reply.characteristics, in: reply.serviceId) }
      table(of: reply.id).note(.characteristics, in: reply.serviceId, reply.error)
    case .didDiscoverDescriptors(let reply):
      if reply.error == nil { table(of: reply.id).addDescriptors(reply.descriptors, in: reply.characteristicId) }
      table(of: reply.id).note(.descriptors, in: reply.characteristicId, reply.error)
    case .didModifyServices(let event):
      let changed = table(of: event.id).copy(without: event.serviceIds)
      tables[event.id, default: []].append(changed)
    default: readUse(message)
    }
  }

  private mutating func readUse(_ message: ServerMessage) {
    switch message {
    case .didUpdateValue(let reply) where reply.error == nil:
      table(of: reply.id).addUsed(reply.characteristicId, [.read, .notify])
    case .didWriteValue(let reply) where reply.error == nil:
      table(of: reply.id).addUsed(reply.characteristicId, .write)
    case .didUpdateNotification(let reply) where reply.error == nil:
      table(of: reply.id).addUsed(reply.characteristicId, [.read, .notify])
    case .didUpdateDescriptorValue(let reply) where reply.error == nil:
      table(of: reply.id).addUsed(reply.descriptorId, [])
    case .didWriteDescriptorValue(let reply) where reply.error == nil:
      table(of: reply.id).addUsed(reply.descriptorId, [])
    default: break
    }
  }
}

extension ClientMessage {
  /// Of a request about an attribute: the peripheral, and the attribute as the client writes it.
  fileprivate var attribute: (PeripheralIdentifier, String)? {
    switch self {
    case .discoverIncludedServices(let request): (request.id, request.serviceId)
    case .discoverCharacteristics(let request): (request.id, request.serviceId)
    case .discoverDescriptors(let request): (request.id, request.characteristicId)
    case .read(let request): (request.id, request.characteristicId)
    case .write(let request): (request.id, request.characteristicId)
    case .setNotify(let request): (request.id, request.characteristicId)
    case .readDescriptor(let request): (request.id, request.descriptorId)
    case .writeDescriptor(let request): (request.id, request.descriptorId)
    default: nil
    }
  }
}
