import BridgeProtocol
import Radio

/// A service, characteristic or descriptor as a recorded client came to know it.
final class RecordedAttribute {
  enum Kind {
    case service
    case characteristic
    case descriptor
  }

  let kind: Kind
  /// As the recording writes it.
  let id: String
  let uuid: BluetoothUUID
  /// Which of those with the same UUID at the same place, from 0.
  let occurrence: Int
  var isPrimary = true
  var properties: CharacteristicProperties = []
  var includedServices: [RecordedAttribute] = []
  /// Characteristics of a service, descriptors of a characteristic.
  var children = RecordedAttributes()
  /// What the recorded client learnt of what is inside: nil where that went well.
  var discoveries: [RecordedDiscovery: BluetoothError?] = [:]
  /// Given when all are known.
  var handle: AttributeHandle = 0

  init(_ kind: Kind, id: String, uuid: BluetoothUUID, occurrence: Int) {
    self.kind = kind
    self.id = id
    self.uuid = uuid
    self.occurrence = occurrence
  }

  /// What the id gives as handle, where the service that was recorded was of this kind.
  var handleOfID: AttributeHandle? { AttributeID(id)?.parts.last?.handle }
}

/// What a client asks for inside an attribute.
enum RecordedDiscovery: String {
  case includedServices = "included services"
  case characteristics
  case descriptors
}

/// Attributes side by side, in the order of the table.
struct RecordedAttributes {
  private(set) var all: [RecordedAttribute] = []

  /// Takes in a list as a reply gave it, which may be a part of all. Attributes that are known under another id are the same:
  /// some services number them anew for each filter.
  ///
  /// - Returns: the attributes of the list.
  mutating func merge(
    _ list: [(id: String, uuid: BluetoothUUID)], as kind: RecordedAttribute.Kind
  ) -> [RecordedAttribute] {
    var counts: [BluetoothUUID: Int] = [:]
    var place = 0
    return list.map { entry in
      let occurrence = counts[entry.uuid, default: 0]
      counts[entry.uuid] = occurrence + 1
      let known = all.firstIndex { $0.id == entry.id && $0.uuid == entry.uuid }
      if let index = known ?? all.firstIndex(where: { $0.uuid == entry.uuid && $0.occurrence == occurrence }) {
        place = index + 1
        return all[index]
      }
      let attribute = RecordedAttribute(kind, id: entry.id, uuid: entry.uuid, occurrence: occurrence)
      all.insert(attribute, at: place)
      place += 1
      return attribute
    }
  }

  /// Takes in one that stands in no list of its kind.
  mutating func append(_ attribute: RecordedAttribute) { all.append(attribute) }

  mutating func sortByHandle() { all.sort { $0.handle < $1.handle } }
}
