import Testing

@testable import BlueZBackend

@Suite struct BluetoothAddressTests {
  @Test func `the text form is read in either case and written in upper case`() throws {
    let address = try #require(BluetoothAddress("c0:c1:C2:c3:C4:c5", .leRandom))
    #expect(address.text == "C0:C1:C2:C3:C4:C5")
    #expect(address.value == 0xC0C1_C2C3_C4C5)
  }

  @Test func `the kernel has the last octet first`() throws {
    let address = try #require(BluetoothAddress("00:1A:7D:DA:71:13", .lePublic))
    #expect(address.kernelBytes == [0x13, 0x71, 0xDA, 0x7D, 0x1A, 0x00])
    #expect(BluetoothAddress(kernelBytes: address.kernelBytes, kind: .lePublic) == address)
  }

  @Test(arguments: [
    "", "00:1A:7D:DA:71", "00-1A-7D-DA-71-13", "00:1A:7D:DA:71:1G", "00:1A:7D:DA:71:13:", "0:01A:7D:DA:71:13",
  ])
  func `anything else is refused`(text: String) {
    #expect(BluetoothAddress(text, .lePublic) == nil)
  }

  @Test func `BlueZ's properties give the kind`() {
    #expect(BluetoothAddress(address: "00:1A:7D:DA:71:13", addressType: "public")?.kind == .lePublic)
    #expect(BluetoothAddress(address: "00:1A:7D:DA:71:13", addressType: "random")?.kind.rawValue == 2)
    #expect(BluetoothAddress(address: "00:1A:7D:DA:71:13", addressType: "le") == nil)
    #expect(BluetoothAddress(address: nil, addressType: "public") == nil)
  }
}
