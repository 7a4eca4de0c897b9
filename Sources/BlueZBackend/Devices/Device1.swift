import BridgeIO
import BridgeProtocol
import DBus

/// A device as bluetoothd shows it: a row per property that we use, kept current by its signals.
///
/// - Source: BlueZ `doc/org.bluez.Device.rst`.
@BridgeQueue
final class Device1 {
  let path: String
  /// The record that stands for this device while its adapter is in use; the two let go of each other by `detach`.
  var record: BlueZDevice?

  private(set) var addressText: String?
  private(set) var addressType: String?
  private(set) var name: String?
  private(set) var isPaired = false
  private(set) var isConnected = false
  private(set) var servicesResolved = false
  /// Experimental: nil where BlueZ has no such property.
  private(set) var preferredBearer: String?

  /// dBm; absent when the device is not being received.
  private(set) var rssi: Int?
  private(set) var txPower: Int?
  /// Advertised before the services are resolved, those of the GATT database afterwards.
  private(set) var uuids: [BluetoothUUID] = []
  private(set) var manufacturerData: [ManufacturerData] = []
  /// Which entry of `manufacturerData` came or changed last.
  private(set) var latestManufacturer: UInt16?
  private(set) var serviceData: [BluetoothUUID: [UInt8]] = [:]
  private(set) var solicitedUUIDs: [BluetoothUUID] = []

  struct ManufacturerData: Hashable {
    var company: UInt16
    var bytes: [UInt8]
  }

  /// Which properties got another value; `rssi` also when it is the same again, since each is an advertisement.
  struct Changes: OptionSet {
    let rawValue: UInt16
    static let rssi = Changes(rawValue: 1 << 0)
    static let name = Changes(rawValue: 1 << 1)
    static let uuids = Changes(rawValue: 1 << 2)
    static let manufacturerData = Changes(rawValue: 1 << 3)
    static let serviceData = Changes(rawValue: 1 << 4)
    static let txPower = Changes(rawValue: 1 << 5)
    static let advertisingData = Changes(rawValue: 1 << 6)
    static let address = Changes(rawValue: 1 << 7)
    static let paired = Changes(rawValue: 1 << 8)
    static let connected = Changes(rawValue: 1 << 9)
    static let servicesResolved = Changes(rawValue: 1 << 10)

    static let content: Changes = [.name, .uuids, .manufacturerData, .serviceData, .txPower, .advertisingData]
    static let link: Changes = [.address, .paired, .connected, .servicesResolved]
  }

  init(path: String) { self.path = path }

  var address: BluetoothAddress? { BluetoothAddress(address: addressText, addressType: addressType) }

  // MARK: Changes

  /// Applies the `a{sv}` that the reader stands at.
  func apply(_ reader: inout MessageReader) -> Changes {
    var changes: Changes = []
    _ = reader.enter { entries in
      while !entries.isAtEnd {
        _ = entries.enter { entry in
          guard let property = entry.withString({ DeviceProperty($0) }) ?? nil else { return }
          _ = entry.enter { changes.formUnion(self.apply(property, &$0)) }
        }
      }
    }
    return changes
  }

  /// Applies the reply to a `Get` of one property.
  func apply(_ property: DeviceProperty, from reply: Message) -> Changes {
    var changes: Changes = []
    reply.read { reader in _ = reader.enter { changes = self.apply(property, &$0) } }
    return changes
  }

  /// Applies the `as` of invalidated properties that the reader stands at.
  func invalidate(_ reader: inout MessageReader) -> Changes {
    var changes: Changes = []
    _ = reader.enter { names in
      while !names.isAtEnd {
        if let property = names.withString({ DeviceProperty($0) }) ?? nil { changes.formUnion(invalidate(property)) }
      }
    }
    return changes
  }

  private func apply(_ property: DeviceProperty, _ value: inout MessageReader) -> Changes {
    switch property {
    case .rssi:
      rssi = value.integer()
      return rssi == nil ? [] : .rssi
    case .manufacturerData: return applyManufacturerData(&value)
    case .serviceData: return applyServiceData(&value)
    case .uuids: return set(\.uuids, to: readUUIDs(&value), .uuids)
    case .name: return set(\.name, to: value.string(), .name)
    case .txPower: return set(\.txPower, to: value.integer(), .txPower)
    case .advertisingData:
      return set(\.solicitedUUIDs, to: AdvertisingData.solicitedUUIDs(&value), .advertisingData)
    case .connected: return set(\.isConnected, to: value.boolean() ?? false, .connected)
    case .servicesResolved: return set(\.servicesResolved, to: value.boolean() ?? false, .servicesResolved)
    case .paired: return set(\.isPaired, to: value.boolean() ?? false, .paired)
    case .address: return set(\.addressText, to: value.string(), .address)
    case .addressType: return set(\.addressType, to: value.string(), .address)
    case .preferredBearer: return set(\.preferredBearer, to: value.string(), [])
    }
  }

  private func invalidate(_ property: DeviceProperty) -> Changes {
    switch property {
    case .rssi:
      rssi = nil
      return []
    case .txPower: return set(\.txPower, to: nil, .txPower)
    case .name: return set(\.name, to: nil, .name)
    case .manufacturerData: return set(\.manufacturerData, to: [], .manufacturerData)
    case .serviceData: return set(\.serviceData, to: [:], .serviceData)
    case .advertisingData: return set(\.solicitedUUIDs, to: [], .advertisingData)
    case .uuids: return set(\.uuids, to: [], .uuids)
    case .address, .addressType, .paired, .connected, .servicesResolved, .preferredBearer: return []
    }
  }

  private func set<Property: Equatable>(
    _ property: ReferenceWritableKeyPath<Device1, Property>, to value: Property, _ change: Changes
  ) -> Changes {
    guard self[keyPath: property] != value else { return [] }
    self[keyPath: property] = value
    return change
  }

  // MARK: Advertised fields

  private func readUUIDs(_ value: inout MessageReader) -> [BluetoothUUID] {
    var found: [BluetoothUUID] = []
    _ = value.enter { list in
      while !list.isAtEnd { if let text = list.string(), let uuid = BluetoothUUID(text) { found.append(uuid) } }
    }
    return found
  }

  /// `a{qv}` of `ay`. Entries are compared in place: most repeat what is known.
  private func applyManufacturerData(_ value: inout MessageReader) -> Changes {
    var seen: [ManufacturerData] = []
    var changed = false
    _ = value.enter { entries in
      while !entries.isAtEnd {
        _ = entries.enter { entry in
          guard let company = entry.integer().flatMap({ UInt16(exactly: $0) }) else { return }
          let known = manufacturerData.first { $0.company == company }
          guard let bytes = entry.enter({ $0.bytes(unlessEqual: known?.bytes) }) ?? nil else { return }
          switch bytes {
          case .same: if let known { seen.append(known) }
          case .other(let bytes):
            seen.append(ManufacturerData(company: company, bytes: bytes))
            latestManufacturer = company
            changed = true
          }
        }
      }
    }
    guard changed || seen.count != manufacturerData.count else { return [] }
    manufacturerData = seen
    if !seen.contains(where: { $0.company == latestManufacturer }) { latestManufacturer = seen.last?.company }
    return .manufacturerData
  }

  /// `a{sv}` of `ay`.
  private func applyServiceData(_ value: inout MessageReader) -> Changes {
    var seen: [BluetoothUUID: [UInt8]] = [:]
    _ = value.enter { entries in
      while !entries.isAtEnd {
        _ = entries.enter { entry in
          guard let text = entry.string(), let uuid = BluetoothUUID(text) else { return }
          if let bytes = entry.enter({ $0.bytes() }) ?? nil { seen[uuid] = bytes }
        }
      }
    }
    return set(\.serviceData, to: seen, .serviceData)
  }
}

/// A byte array beside what was known of it.
private enum ComparedBytes {
  case same
  case other([UInt8])
}

extension MessageReader {
  fileprivate mutating func bytes(unlessEqual known: [UInt8]?) -> ComparedBytes? {
    withBytes { bytes in
      if let known, known.count == bytes.count, known.elementsEqual(bytes) { return .same }
      return .other([UInt8](bytes))
    }
  }
}
