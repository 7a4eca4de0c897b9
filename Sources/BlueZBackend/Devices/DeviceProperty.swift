import Glibc

/// The properties of `Device1` that we use, recognised without making strings of their names.
enum DeviceProperty {
  case address, addressType, name, paired, connected, servicesResolved, preferredBearer
  case rssi, txPower, uuids, manufacturerData, serviceData, advertisingData

  init?(_ name: UnsafeRawBufferPointer) {
    switch name.count {
    case 4 where matches(name, "RSSI"): self = .rssi
    case 4 where matches(name, "Name"): self = .name
    case 5 where matches(name, "UUIDs"): self = .uuids
    case 6 where matches(name, "Paired"): self = .paired
    case 7 where matches(name, "TxPower"): self = .txPower
    case 7 where matches(name, "Address"): self = .address
    case 9 where matches(name, "Connected"): self = .connected
    case 11 where matches(name, "ServiceData"): self = .serviceData
    case 11 where matches(name, "AddressType"): self = .addressType
    case 15 where matches(name, "AdvertisingData"): self = .advertisingData
    case 15 where matches(name, "PreferredBearer"): self = .preferredBearer
    case 16 where matches(name, "ManufacturerData"): self = .manufacturerData
    case 16 where matches(name, "ServicesResolved"): self = .servicesResolved
    default: return nil
    }
  }
}

/// Whether `bytes`, already known to have its length, spell `text`.
func matches(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
  guard let start = bytes.baseAddress, bytes.count == text.utf8CodeUnitCount else { return false }
  return memcmp(start, text.utf8Start, bytes.count) == 0
}
