import BridgeProtocol
import Radio

/// What rules call an attribute by: its UUID and those of what it is in.
struct AttributeNames: Hashable {
  var service: BluetoothUUID?
  var characteristic: BluetoothUUID?
  var descriptor: BluetoothUUID?

  /// Whether they fit what `rule` names.
  func match(_ rule: FaultRule) -> Bool {
    fits(rule.service, service) && fits(rule.characteristic, characteristic) && fits(rule.descriptor, descriptor)
  }

  private func fits(_ wanted: BluetoothUUID?, _ actual: BluetoothUUID?) -> Bool { wanted == nil || wanted == actual }

  /// Those of each attribute of a database, by handle.
  static func table(of database: GATTDatabase) -> [AttributeHandle: AttributeNames] {
    var table: [AttributeHandle: AttributeNames] = [:]
    for service in database.services {
      table[service.handle] = AttributeNames(service: service.uuid)
      for characteristic in service.characteristics {
        let names = AttributeNames(service: service.uuid, characteristic: characteristic.uuid)
        table[characteristic.handle] = names
        for descriptor in characteristic.descriptors {
          table[descriptor.handle] = AttributeNames(
            service: names.service, characteristic: names.characteristic, descriptor: descriptor.uuid)
        }
      }
    }
    return table
  }
}
