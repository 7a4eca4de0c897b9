import BridgeProtocol
import Radio

/// A virtual peripheral's attributes under handles, laid out as servers do: a service's declaration, its includes, and for
/// each characteristic the declaration, the value, the descriptors.
struct VirtualTable {
  fileprivate struct Entry {
    var definition: VirtualService
    var handle: AttributeHandle
  }

  private var entries: [Entry] = []
  private var attributes: [VirtualAttribute?] = []
  /// Of each service that is served, by its place: its characteristics' handles.
  private var handles: [[AttributeHandle]] = []
  /// Handles are not used again for something else.
  private var nextHandle = Self.firstHandle

  /// Behind Generic Access and Generic Attribute, which each device has and nobody sees: nine attributes.
  static let firstHandle = 10

  init() {}

  /// - Parameter addsConfigurations: whether a characteristic that notifies gets a 2902 that it does not list.
  init(_ services: [VirtualService], addsConfigurations: Bool = true) {
    self.init()
    replace(with: services, addsConfigurations: addsConfigurations)
  }

  subscript(handle: AttributeHandle) -> VirtualAttribute? {
    Int(handle) < attributes.count ? attributes[Int(handle)] : nil
  }

  /// By its place in the peripheral's own list.
  func attribute(at place: VirtualAttribute.Place) -> VirtualAttribute? {
    guard handles.indices.contains(place.service), handles[place.service].indices.contains(place.characteristic)
    else { return nil }
    let handle = handles[place.service][place.characteristic]
    guard let descriptor = place.descriptor else { return self[handle] }
    let found = attributes[Int(handle)...].dropFirst(2 + descriptor).first ?? nil
    return found?.place == place ? found : nil
  }

  /// In the order of handles.
  var all: [VirtualAttribute] { attributes.compactMap { $0 } }

  // MARK: Building

  /// Services that stay as they are keep their handles; others get new ones.
  ///
  /// - Returns: the handles of services that are no more.
  @discardableResult
  mutating func replace(with services: [VirtualService], addsConfigurations: Bool = true) -> [AttributeHandle] {
    let old = entries
    let definitions = addsConfigurations ? services.map(\.withConfigurations) : services
    let length = definitions.reduce(0) { $0 + $1.length }
    // A table that has used up all handles begins anew.
    let isUsedUp = nextHandle + length > 0x10000
    if isUsedUp { nextHandle = Self.firstHandle }
    // Those of equal services, the last first.
    var left: [VirtualService: [AttributeHandle]] = [:]
    if !isUsedUp { for entry in old.reversed() { left[entry.definition, default: []].append(entry.handle) } }
    attributes = []
    handles = []
    entries = definitions.map { definition in
      if let handle = left[definition]?.popLast() { return Entry(definition: definition, handle: handle) }
      defer { nextHandle += definition.length }
      return Entry(definition: definition, handle: AttributeHandle(clamping: nextHandle))
    }
    for (index, entry) in entries.enumerated() { addAttributes(of: entry, index) }
    return (isUsedUp ? old.map(\.handle) : Array(left.values.joined())).sorted()
  }

  private mutating func addAttributes(of entry: Entry, _ index: Int) {
    handles.append([])
    guard entry.fits else { return }
    entry.forEachCharacteristic { (position, characteristic, handle) in
      handles[index].append(handle)
      let place = VirtualAttribute.Place(service: index, characteristic: position)
      let attribute = VirtualAttribute(characteristic, handle: handle, place: place)
      set(attribute)
      for (position, descriptor) in characteristic.descriptors.enumerated() {
        let handle = handle + 2 + AttributeHandle(position)
        set(VirtualAttribute(descriptor, of: attribute, handle: handle, position: position))
      }
    }
  }

  private mutating func set(_ attribute: VirtualAttribute) {
    let index = Int(attribute.handle)
    while attributes.count <= index { attributes.append(nil) }
    attributes[index] = attribute
  }

  // MARK: Showing

  /// What discoveries find.
  ///
  /// - Parameter hidesGeneric: leaves out Generic Access and Generic Attribute, as Apple's systems do.
  func database(hidesGeneric: Bool) -> GATTDatabase {
    GATTDatabase(
      services: entries.filter { $0.fits && !(hidesGeneric && $0.definition.isGeneric) }.map { service($0) }
        .sorted { $0.handle < $1.handle })
  }

  private func service(_ entry: Entry) -> GATTService {
    var service = GATTService(
      handle: entry.handle, uuid: entry.definition.uuid, isPrimary: entry.definition.isPrimary,
      includedServices: entry.definition.includedServices.filter(entries.indices.contains).map { entries[$0].handle })
    entry.forEachCharacteristic { (_, characteristic, handle) in
      let descriptors = characteristic.descriptors.enumerated().map { (position, descriptor) in
        GATTDescriptor(handle: handle + 2 + AttributeHandle(position), uuid: descriptor.uuid)
      }
      service.characteristics.append(
        GATTCharacteristic(
          handle: handle, uuid: characteristic.uuid, properties: characteristic.properties, descriptors: descriptors))
    }
    return service
  }
}

extension VirtualTable.Entry {
  /// Handles end at 0xFFFF; what is past it is not served.
  fileprivate var fits: Bool { Int(handle) + definition.length <= 0x10000 }

  /// Calls `body` with position, characteristic and the declaration's handle.
  fileprivate func forEachCharacteristic(_ body: (Int, VirtualCharacteristic, AttributeHandle) -> Void) {
    var next = handle + 1 + AttributeHandle(definition.includedServices.count)
    for (position, characteristic) in definition.characteristics.enumerated() {
      body(position, characteristic, next)
      next += AttributeHandle(characteristic.length)
    }
  }
}

extension VirtualService {
  fileprivate var isGeneric: Bool { uuid == .genericAccess || uuid == .genericAttribute }

  /// Attributes.
  fileprivate var length: Int { characteristics.reduce(1 + includedServices.count) { $0 + $1.length } }

  fileprivate var withConfigurations: VirtualService {
    var result = self
    for index in result.characteristics.indices where result.characteristics[index].lacksConfiguration {
      result.characteristics[index].descriptors.append(VirtualDescriptor(uuid: .clientCharacteristicConfiguration))
    }
    return result
  }
}

extension VirtualCharacteristic {
  fileprivate var length: Int { 2 + descriptors.count }

  fileprivate var lacksConfiguration: Bool {
    !properties.isDisjoint(with: .subscribable)
      && !descriptors.contains { $0.uuid == .clientCharacteristicConfiguration }
  }
}
