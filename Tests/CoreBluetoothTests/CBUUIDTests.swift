import CoreBluetooth
import Testing

/// `CBUUID` as Apple's observable behaviour has it; the numbers are those of docs/corebluetooth.md.
@Suite struct CBUUIDTests {
  static let long = "0000180D-0000-1000-8000-00805F9B34FB"

  @Test func `UUID-1 strings of 4, 8 or 36 characters are read in any case`() {
    #expect(CBUUID(string: "180d").uuidString == "180D")
    #expect(CBUUID(string: "0000180d").uuidString == "0000180D")
    #expect(
      CBUUID(string: "abdd3056-28fa-441d-a470-55a75a52553a").uuidString == CBUUIDL2CAPPSMCharacteristicString)
  }

  @Test func `UUID-1 other strings end the process`() async {
    await #expect(processExitsWith: .failure) { _ = CBUUID(string: "180") }
    await #expect(processExitsWith: .failure) { _ = CBUUID(string: "18 D") }
    await #expect(processExitsWith: .failure) { _ = CBUUID(string: "0000180D00001000800000805F9B34FB") }
  }

  @Test func `UUID-2 data of 2, 4 or 16 bytes is read most significant byte first`() {
    #expect(CBUUID(data: Data([0x18, 0x0D])).uuidString == "180D")
    #expect(CBUUID(data: Data([1, 2, 3, 4])).uuidString == "01020304")
    #expect(CBUUID(data: Data(0..<16)).uuidString == "00010203-0405-0607-0809-0A0B0C0D0E0F")
    #expect(CBUUID(data: Data([9, 0x18, 0x0D]).dropFirst()).uuidString == "180D")
  }

  @Test func `UUID-2 other lengths of data end the process`() async {
    await #expect(processExitsWith: .failure) { _ = CBUUID(data: Data([1, 2, 3])) }
    await #expect(processExitsWith: .failure) { _ = CBUUID(data: Data()) }
  }

  @Test func `UUID-3 data and string keep the length of creation`() {
    for (text, count) in [("180D", 2), ("0000180D", 4), (Self.long, 16)] {
      let uuid = CBUUID(string: text)
      #expect(uuid.data.count == count)
      #expect(uuid.uuidString == text)
      #expect(CBUUID(data: uuid.data).uuidString == text)
    }
  }

  @Test func `UUID-4 all widths of one value are equal and hash alike`() {
    let forms = ["180D", "0000180D", Self.long].map { CBUUID(string: $0) }
    #expect(Set(forms).count == 1)
    #expect(forms[0] == forms[1] && forms[1] == forms[2] && forms[0].isEqual(forms[2]))
    #expect(forms.allSatisfy { $0.hash == forms[0].hash })
    #expect([forms[0]: 1][forms[2]] == 1)
    #expect([forms[2]].contains(forms[0]))
    #expect(CBUUID(string: "1234") != CBUUID(string: "12345678"))
    #expect(!forms[0].isEqual("180D"))
  }

  @Test func `UUID-5 strings of different widths differ`() {
    #expect(CBUUID(string: "180D").uuidString != CBUUID(string: Self.long).uuidString)
  }

  @Test func `UUID-7 a known number prints its name`() {
    #expect("\(CBUUID(string: "180D"))" == "Heart Rate")
    #expect(CBUUID(string: Self.long).description == "Heart Rate")
    #expect(CBUUID(string: "FFF0").description == "FFF0")
    #expect(CBUUID(string: CBUUIDL2CAPPSMCharacteristicString).description == CBUUIDL2CAPPSMCharacteristicString)
  }

  @Test func `UUID-8 of a UUID all sixteen bytes are kept`() throws {
    let uuid = CBUUID(nsuuid: try #require(UUID(uuidString: Self.long)))
    #expect(uuid.data.count == 16)
    #expect(uuid.uuidString == Self.long)
    #expect(uuid == CBUUID(string: "180D"))
  }

  @Test func `a copy is equal, and there is one of nothing`() {
    #expect(CBUUID(string: "180D").copy() as? CBUUID == CBUUID(string: "180D"))
    #expect(CBUUID().data == Data(count: 16))
  }

  @Test func `the object can be passed to a format`() {
    #expect(String(format: "%@", CBUUID(string: "180D")) == "Heart Rate")
  }
}
