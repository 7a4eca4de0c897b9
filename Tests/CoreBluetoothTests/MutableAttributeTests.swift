import CoreBluetooth
import Testing

/// Attributes that the app makes, before they are published.
@Suite struct MutableAttributeTests {
  @Test func `a parent's array sets and clears the back pointers`() {
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A37"), properties: .read, value: nil, permissions: .readable)
    let descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "rate")
    characteristic.descriptors = [descriptor]
    service.characteristics = [characteristic]
    #expect(characteristic.service === service && descriptor.characteristic === characteristic)
    #expect(service.peripheral == nil && service.isPrimary)
    service.characteristics = nil
    characteristic.descriptors = []
    #expect(characteristic.service == nil && descriptor.characteristic == nil)
  }

  @Test func `back pointers do not retain`() {
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A37"), properties: .read, value: nil, permissions: .readable)
    do {
      let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
      service.characteristics = [characteristic]
      #expect(characteristic.service != nil)
    }
    #expect(characteristic.service == nil)
  }

  @Test func `PERI-4 a value with other properties than read ends the process`() async {
    await #expect(processExitsWith: .failure) {
      _ = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: [.read, .notify], value: Data([1]), permissions: .readable)
    }
    await #expect(processExitsWith: .failure) {
      _ = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: .read, value: Data([1]), permissions: [.readable, .writeable])
    }
  }

  @Test func `PERI-6 descriptor values of the wrong type end the process`() async {
    await #expect(processExitsWith: .failure) { _ = CBMutableDescriptor(type: CBUUID(string: "2904"), value: "text") }
    await #expect(processExitsWith: .failure) { _ = CBMutableDescriptor(type: CBUUID(string: "2901"), value: Data()) }
  }

  @Test func `objects print as Apple's do`() {
    let service = CBMutableService(type: CBUUID(string: "180A"), primary: true)
    #expect(service.description.hasPrefix("<CBMutableService: 0x"))
    #expect(service.description.hasSuffix(", isPrimary = YES, UUID = Device Information>"))
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A23"), properties: .read, value: nil, permissions: .readable)
    #expect(
      characteristic.description.hasSuffix(", UUID = System ID, properties = 0x2, value = (null), notifying = NO>"))
    characteristic.value = Data([1, 2, 3])
    #expect(characteristic.description.contains("value = {length = 3, bytes = 0x010203}"))
  }
}
