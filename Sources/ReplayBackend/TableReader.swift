import BridgeProtocol

/// Reads the attribute tables out of a recording: first of all, because requests name attributes that only later replies
/// describe.
struct TableReader {
  private(set) var tables: [PeripheralIdentifier: [RecordedTable]] = [:]

  init(_ recording: Recording) {
    for line in recording.lines {
      if case .server(let message) = line.message { read(message) }
    }
    for table in tables.values.joined() { table.assignHandles() }
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
    case .didDiscoverIncludedServices(let reply) where reply.error == nil:
      table(of: reply.id).addIncludedServices(reply.includedServices, in: reply.serviceId)
    case .didDiscoverCharacteristics(let reply) where reply.error == nil:
      table(of: reply.id).addCharacteristics(reply.characteristics, in: reply.serviceId)
    case .didDiscoverDescriptors(let reply) where reply.error == nil:
      table(of: reply.id).addDescriptors(reply.descriptors, in: reply.characteristicId)
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
