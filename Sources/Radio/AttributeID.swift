package import BridgeProtocol

/// An attribute's name on the wire: `<peripheral>:<service>:<n>`, then `:<characteristic>:<n>`, then `:<descriptor>:<n>`.
/// n is the attribute's handle, so an id holds as long as the device keeps its table, over restarts too.
package struct AttributeID: Hashable {
  package struct Part: Hashable {
    package var uuid: BluetoothUUID
    package var handle: AttributeHandle
    package init(uuid: BluetoothUUID, handle: AttributeHandle) {
      self.uuid = uuid
      self.handle = handle
    }
  }

  package var peripheral: PeripheralIdentifier
  /// Service, characteristic, descriptor: one to three.
  package var parts: [Part]

  package init(_ peripheral: PeripheralIdentifier, _ parts: Part...) {
    self.peripheral = peripheral
    self.parts = parts
  }

  /// Reads an id in any spelling of its UUIDs.
  package init?(_ text: String) {
    let fields = text.split(separator: ":", maxSplits: 7, omittingEmptySubsequences: false)
    guard [3, 5, 7].contains(fields.count), let peripheral = PeripheralIdentifier(fields[0]) else { return nil }
    self.peripheral = peripheral
    parts = []
    for index in stride(from: 1, to: fields.count, by: 2) {
      guard let uuid = BluetoothUUID(fields[index]), let handle = AttributeHandle(fields[index + 1]) else { return nil }
      parts.append(Part(uuid: uuid, handle: handle))
    }
  }

  package func appending(_ uuid: BluetoothUUID, _ handle: AttributeHandle) -> AttributeID {
    var longer = self
    longer.parts.append(Part(uuid: uuid, handle: handle))
    return longer
  }

  /// As this service writes it.
  package var text: String { parts.reduce(into: peripheral.text) { $0 += ":\($1.uuid.text):\($1.handle)" } }
}
