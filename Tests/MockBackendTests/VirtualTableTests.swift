import BridgeProtocol
import Radio
import Testing

@testable import MockBackend

@Suite struct VirtualTableTests {
  private func service(_ uuid: UInt32, characteristics: Int = 1) -> VirtualService {
    VirtualService(
      uuid: BluetoothUUID(short: uuid),
      characteristics: (0..<characteristics).map {
        VirtualCharacteristic(uuid: BluetoothUUID(short: 0x2A00 + UInt32($0)), properties: .read)
      })
  }

  private func handles(_ table: VirtualTable) -> [UInt16] {
    table.database(hidesGeneric: true).services.map(\.handle)
  }

  @Test func servicesThatStayKeepTheirHandlesWhereverTheyStand() {
    var table = VirtualTable([service(0xFF00), service(0xFF01)])
    #expect(handles(table) == [10, 13])
    #expect(table.replace(with: [service(0xFF02), service(0xFF01), service(0xFF00)]) == [])
    #expect(handles(table) == [10, 13, 16])
    // Its own list counts for the place.
    #expect(table[11]?.place == .init(service: 2, characteristic: 0))
    #expect(table.replace(with: [service(0xFF00)]) == [13, 16])
    #expect(table.replace(with: [service(0xFF00), service(0xFF01)]) == [])
    #expect(handles(table) == [10, 19])
  }

  @Test func equalServicesAreTwo() {
    var table = VirtualTable([service(0xFF00), service(0xFF00)])
    #expect(handles(table) == [10, 13])
    #expect(table.replace(with: [service(0xFF00)]) == [13])
  }

  @Test func aTableIsReplacedInATimeThatGrowsAsItDoes() {
    let services = (0..<20_000).map { VirtualService(uuid: BluetoothUUID(short: 0x1_0000 + UInt32($0))) }
    var table = VirtualTable(services)
    let start = ContinuousClock.now
    #expect(table.replace(with: services.reversed()) == [])
    #expect(table.replace(with: services.map { VirtualService(uuid: $0.uuid, isPrimary: false) }).count == 20_000)
    // Each held against each takes minutes.
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test func attributesAreFoundByTheirPlace() {
    let described = VirtualCharacteristic(
      uuid: BluetoothUUID(short: 0x2A19), properties: [.read, .notify],
      descriptors: [VirtualDescriptor(uuid: BluetoothUUID(short: 0x2901))])
    let table = VirtualTable([
      service(0xFF00, characteristics: 0),
      VirtualService(uuid: .init(short: 0xFF01), includedServices: [0], characteristics: [described, described]),
    ])
    for attribute in table.all { #expect(table.attribute(at: attribute.place) === attribute) }
    #expect(table.all.count == 6)
    #expect(table.attribute(at: .init(service: 0, characteristic: 0)) == nil)
    #expect(table.attribute(at: .init(service: 1, characteristic: 0, descriptor: 2)) == nil)
    #expect(table.attribute(at: .init(service: 1, characteristic: 1, descriptor: 2)) == nil)
    #expect(table.attribute(at: .init(service: 1, characteristic: 2)) == nil)
    #expect(table.attribute(at: .init(service: 2, characteristic: 0)) == nil)
  }

  @Test func aTableThatHasUsedUpItsHandlesBeginsAnew() {
    var table = VirtualTable([service(0xFF00, characteristics: 10)])
    var removed: [UInt16] = []
    for round in 0..<4000 {
      removed = table.replace(with: [service(0xFF01 + UInt32(round % 2), characteristics: 10)])
      #expect(removed.count == 1)
    }
    #expect(handles(table).count == 1 && table.all.count == 10)
  }

  @Test func whatIsPastTheLastHandleIsNotServed() {
    let table = VirtualTable([service(0xFF00, characteristics: 20_000), service(0xFF01, characteristics: 20_000)])
    #expect(handles(table) == [10])
    #expect(table.all.count == 20_000 && table[0xFFFF] == nil)
  }

  @Test func genericServicesAreHiddenOnlyOnRequest() {
    let table = VirtualTable([service(0x1800), service(0x1801), service(0x180F)])
    #expect(table.database(hidesGeneric: true).services.count == 1)
    #expect(table.database(hidesGeneric: false).services.count == 3)
  }
}
