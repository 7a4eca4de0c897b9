import BridgeIO
import BridgeProtocol
import Radio

/// A peripheral's attributes under the names that they have on the wire.
@BridgeQueue
final class AttributeTable {
  let database: GATTDatabase
  let services: [Service]
  private let byText: [String: Attribute]
  private let byHandle: [AttributeHandle: Service]

  enum Attribute {
    case service(Service)
    case characteristic(Characteristic)
    case descriptor(Descriptor)
  }

  final class Service {
    let id: String
    let attribute: GATTService
    let characteristics: [Characteristic]
    init(id: String, attribute: GATTService, characteristics: [Characteristic]) {
      self.id = id
      self.attribute = attribute
      self.characteristics = characteristics
    }
  }

  final class Characteristic {
    let id: String
    let attribute: GATTCharacteristic
    let descriptors: [Descriptor]
    let lines: CharacteristicLines
    init(
      _ peripheral: PeripheralIdentifier, id: String, attribute: GATTCharacteristic, descriptors: [Descriptor]
    ) {
      self.id = id
      self.attribute = attribute
      self.descriptors = descriptors
      lines = CharacteristicLines(id: peripheral, characteristicId: id)
    }
  }

  final class Descriptor {
    let id: String
    let attribute: GATTDescriptor
    init(id: String, attribute: GATTDescriptor) {
      self.id = id
      self.attribute = attribute
    }
  }

  init(_ database: GATTDatabase, of peripheral: PeripheralIdentifier) {
    self.database = database
    var byText: [String: Attribute] = [:]
    services = database.services.map { service in
      let id = AttributeID(peripheral, .init(uuid: service.uuid, handle: service.handle))
      let characteristics = service.characteristics.map { Self.characteristic($0, in: id, &byText) }
      let entry = Service(id: id.text, attribute: service, characteristics: characteristics)
      byText[entry.id] = .service(entry)
      return entry
    }
    self.byText = byText
    byHandle = Dictionary(services.map { ($0.attribute.handle, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static func characteristic(
    _ characteristic: GATTCharacteristic, in service: AttributeID, _ byText: inout [String: Attribute]
  ) -> Characteristic {
    let id = service.appending(characteristic.uuid, characteristic.handle)
    let descriptors = characteristic.descriptors.map { descriptor in
      let entry = Descriptor(id: id.appending(descriptor.uuid, descriptor.handle).text, attribute: descriptor)
      byText[entry.id] = .descriptor(entry)
      return entry
    }
    let entry = Characteristic(
      service.peripheral, id: id.text, attribute: characteristic, descriptors: descriptors)
    byText[entry.id] = .characteristic(entry)
    return entry
  }

  // MARK: Looking up what a client names

  /// By the text that we issued, else by what it means.
  private func attribute(_ text: String) -> Attribute? {
    byText[text] ?? AttributeID(text).flatMap { byText[$0.text] }
  }

  func service(_ text: String) -> Service? {
    guard case .service(let service) = attribute(text) else { return nil }
    return service
  }

  func service(handle: AttributeHandle) -> Service? { byHandle[handle] }

  func characteristic(_ text: String) -> Characteristic? {
    guard case .characteristic(let characteristic) = attribute(text) else { return nil }
    return characteristic
  }

  func descriptor(_ text: String) -> Descriptor? {
    guard case .descriptor(let descriptor) = attribute(text) else { return nil }
    return descriptor
  }
}
