package import BridgeProtocol
import Foundation

/// What an app wants advertised, as far as there is room for it.
package struct AppAdvertisement {
  /// Of the advertisement itself, without headers.
  private static let room = 28
  /// Of the scan response, where the name may go.
  private static let responseRoom = 10

  package private(set) var data = AdvertisementData()

  package init(_ dictionary: [String: Any]?, rules: PeripheralRules) {
    var rest = dictionary ?? [:]
    let name = rest.removeValue(forKey: CBAdvertisementDataLocalNameKey) as? String
    let uuids = rest.removeValue(forKey: CBAdvertisementDataServiceUUIDsKey) as? [CBUUID] ?? []
    if rules.advertisesAnything { takeOthers(&rest) }
    for key in rest.keys.sorted() { Misuse.warn("The advertisement key \"\(key)\" is not allowed") }
    guard rules.limitsAdvertisement else {
      data.localName = name
      for uuid in uuids { data.advertise(uuid) }
      return
    }
    let used = place(uuids)
    if let name, !name.isEmpty { place(name, used: used) }
  }

  /// UUIDs in their order while they fit; the others go where only those who look for them find them.
  private mutating func place(_ uuids: [CBUUID]) -> Int {
    var used = 0
    for uuid in uuids {
      let length = uuid.data.count
      if used + length <= Self.room {
        used += length
        data.advertise(uuid)
      } else {
        data.overflowServiceUUIDs.append(uuid.value)
      }
    }
    return used
  }

  /// The name beside them or, if that leaves more of it, in the scan response; shortened if it must be.
  private mutating func place(_ name: String, used: Int) {
    let room = max(Self.room - used, Self.responseRoom)
    var shown = Substring(name)
    while shown.utf8.count > room { shown.removeLast() }
    data.localName = String(shown)
  }

  private mutating func takeOthers(_ rest: inout [String: Any]) {
    func uuids(_ key: String) -> [BluetoothUUID] { (rest.removeValue(forKey: key) as? [CBUUID] ?? []).map(\.value) }
    data.overflowServiceUUIDs = uuids(CBAdvertisementDataOverflowServiceUUIDsKey)
    data.solicitedServiceUUIDs = uuids(CBAdvertisementDataSolicitedServiceUUIDsKey)
    data.manufacturerData = (rest.removeValue(forKey: CBAdvertisementDataManufacturerDataKey) as? Data).map {
      Array($0)
    }
    data.txPowerLevel = (rest.removeValue(forKey: CBAdvertisementDataTxPowerLevelKey) as? NSNumber)?.intValue
    let values = rest.removeValue(forKey: CBAdvertisementDataServiceDataKey) as? [CBUUID: Data] ?? [:]
    for (uuid, value) in values { data.serviceData[uuid.value] = Array(value) }
    rest[CBAdvertisementDataIsConnectable] = nil
  }
}

extension AdvertisementData {
  /// In the width in which it was made.
  fileprivate mutating func advertise(_ uuid: CBUUID) {
    serviceUUIDs.append(uuid.value)
    if uuid.data.count == 16, uuid.value.short != nil { longServiceUUIDs.insert(uuid.value) }
  }

  /// As an app gave it.
  var startDictionary: [String: Any] {
    var dictionary: [String: Any] = [:]
    if let localName { dictionary[CBAdvertisementDataLocalNameKey] = localName }
    let uuids =
      serviceUUIDs.map { longServiceUUIDs.contains($0) ? CBUUID(string: $0.fullText) : CBUUID($0) }
      + overflowServiceUUIDs.map { CBUUID($0) }
    if !uuids.isEmpty { dictionary[CBAdvertisementDataServiceUUIDsKey] = uuids }
    return dictionary
  }
}
