import BridgeProtocol
import Testing

@testable import BridgeCommands

@Suite struct SightingTests {
  private func sighting(
    _ number: UInt64, name: String = "", rssi: Int = -50, _ data: AdvertisementData = AdvertisementData()
  ) -> Sighting {
    Sighting(DidDiscover(id: PeripheralIdentifier(high: 0, low: number), name: name, rssi: rssi, advertisement: data))
  }

  @Test func theMostWantedComeFirst() {
    let battery = BluetoothUUID(short: 0x180F)
    let heart = BluetoothUUID(short: 0x180D)
    let order = [
      sighting(1, AdvertisementData(serviceUUIDs: [battery, heart])),
      sighting(2, name: "A", AdvertisementData(serviceUUIDs: [battery])),
      sighting(3, name: "Z", rssi: 127, AdvertisementData(manufacturerData: [1, 2])), sighting(4, name: "Z", rssi: -40),
      sighting(5, name: "Ärger", rssi: -60), sighting(6, name: "b", rssi: -60),
      // 127 says nothing and is no strength.
      sighting(7, name: "Y", rssi: 127), sighting(8, name: "Z", rssi: -40, AdvertisementData(isConnectable: false)),
      sighting(9),
    ]
    #expect(order.shuffled().sorted(by: <).map(\.id.low) == order.map(\.id.low))
  }

  @Test func laterAdvertisementsAddAndDoNotErase() {
    var sighting = sighting(1, name: "Lamp", rssi: -60, AdvertisementData(localName: "Lamp", manufacturerData: [1]))
    sighting.add(
      DidDiscover(
        id: sighting.id, name: "", rssi: 127,
        advertisement: AdvertisementData(isConnectable: false, serviceData: [BluetoothUUID(short: 1): [1]])))
    sighting.add(
      DidDiscover(
        id: sighting.id, name: "", rssi: -30,
        advertisement: AdvertisementData(serviceData: [BluetoothUUID(short: 2): [2]])))
    #expect(sighting.name == "Lamp" && sighting.rssi == -30 && sighting.count == 3 && !sighting.isConnectable)
    #expect(sighting.data.manufacturerData == [1] && sighting.data.serviceData.count == 2)
  }

  @Test func aDeviceThatSaysNothingOfItselfStaysSilent() {
    let device = sighting(1).device
    #expect(device.name == "Unnamed Device" && device.localName == "" && device.isConnectable)
    let named = sighting(1, name: "Cached", AdvertisementData(localName: "Shor")).device
    #expect(named.name == "Cached" && named.localName == "Shor")
  }

  @Test func filtersHideWhatNobodyAskedFor() {
    let lamp = sighting(1, name: "Crème BRÛLÉE", AdvertisementData(serviceUUIDs: [BluetoothUUID(short: 0x180F)]))
    let blank = sighting(2, name: "  ", AdvertisementData(isConnectable: false))
    #expect(SightingFilter().admits(lamp) && !SightingFilter().admits(blank))
    #expect(SightingFilter(showsUnnamed: true).admits(blank))
    #expect(!SightingFilter(isConnectableOnly: true, showsUnnamed: true).admits(blank))
    #expect(SightingFilter(name: "brulee").admits(lamp) && SightingFilter(name: "ÈME B").admits(lamp))
    #expect(!SightingFilter(name: "tart").admits(lamp))
    #expect(SightingFilter(services: [BluetoothUUID("0000180f-0000-1000-8000-00805f9b34fb")!]).admits(lamp))
    #expect(!SightingFilter(services: [BluetoothUUID(short: 0x180D)]).admits(lamp))
  }

  @Test func selectionsAreNumbersRangesAndExceptions() {
    #expect(Selection("", of: 3)?.chosen == [0, 1, 2])
    #expect(Selection("all", of: 2)?.chosen == [0, 1])
    #expect(Selection("none", of: 2)?.chosen == [])
    #expect(Selection("1, 3-4", of: 5)?.chosen == [0, 2, 3])
    #expect(Selection("!2", of: 3)?.chosen == [0, 2])
    #expect(Selection("1-4 !2-3", of: 5)?.chosen == [0, 3])
    for text in ["0", "6", "2-1", "1-6", "x", "1-2-3", "-", "!", "1 none"] {
      #expect(Selection(text, of: 5) == nil, "\(text)")
    }
  }
}
