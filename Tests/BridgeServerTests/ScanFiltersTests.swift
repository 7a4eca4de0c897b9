import BridgeIO
import BridgeProtocol
import Radio
import TestSupport
import Testing

@testable import BridgeServer

@Suite struct ScanFiltersTests {
  private func scan(_ services: [UInt32], solicited: [UInt32] = []) -> Scan {
    Scan(services: services.map(Self.spelled), solicitedServices: solicited.map(Self.spelled))
  }

  private static func spelled(_ service: UInt32) -> SpelledUUID { SpelledUUID(BluetoothUUID(short: service).text)! }

  private func slots(_ filters: ScanFilters, _ services: [UInt32], solicited: [UInt32] = []) -> [Int] {
    let data = AdvertisementData(
      serviceUUIDs: services.map(BluetoothUUID.init(short:)),
      solicitedServiceUUIDs: solicited.map(BluetoothUUID.init(short:)))
    return Array(
      filters.admitting(Advertisement(peripheral: .meter, name: nil, rssi: -40, data: data, revision: 1)))
  }

  @Test func eachOfTwoHundredScansIsFoundByItsServices() {
    var filters = ScanFilters()
    for slot in 0..<200 { filters.add(scan([0xF000 + UInt32(slot), 0xF000 + UInt32(slot + 7) % 200]), at: slot) }
    filters.add(scan([]), at: 200)
    for slot in 0..<200 {
      let expected = [slot, (slot + 193) % 200, 200].sorted()
      #expect(slots(filters, [0xF000 + UInt32(slot), 0x180F]) == expected)
    }
    #expect(slots(filters, [0x180F]) == [200])
  }

  @Test func solicitedServicesAloneAreNoFilter() {
    var filters = ScanFilters()
    filters.add(scan([], solicited: [0x1805]), at: 3)
    filters.add(scan([0x180F], solicited: [0x1805]), at: 65)
    #expect(slots(filters, []) == [3])
    #expect(slots(filters, [], solicited: [0x1805]) == [3, 65])
    filters.remove(scan([0x180F], solicited: [0x1805]), at: 65)
    #expect(slots(filters, [0x180F], solicited: [0x1805]) == [3])
  }

  @Test func overflowAndTableServicesCountAsAdvertisedOnes() {
    var filters = ScanFilters()
    filters.add(scan([0x180F]), at: 0)
    var advertisement = Advertisement(
      peripheral: .meter, name: nil, rssi: -40, data: AdvertisementData(overflowServiceUUIDs: [.battery]), revision: 1)
    #expect(filters.admitting(advertisement).contains(0))
    advertisement.data = AdvertisementData()
    #expect(filters.admitting(advertisement).isEmpty)
    advertisement.matchingServices = [.battery]
    #expect(filters.admitting(advertisement).contains(0))
  }
}
