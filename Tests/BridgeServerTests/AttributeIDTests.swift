import BridgeProtocol
import Radio
import Testing

@Suite struct AttributeIDTests {
  private let meter = PeripheralIdentifier.meter

  @Test func idsReadBackWhateverTheirSpelling() {
    let id = AttributeID(meter, .init(uuid: .battery, handle: 12)).appending(BluetoothUUID(short: 0x2A19), 13)
    #expect(id.text == "\(meter):180F:12:2A19:13")
    #expect(AttributeID(id.text) == id)
    #expect(AttributeID("\(meter.text.lowercased()):0000180f-0000-1000-8000-00805f9b34fb:12:2a19:13") == id)
  }

  @Test(arguments: [
    "", ":", "nonsense:180F:1", "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C", "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C:180F",
    "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C:180F:x", "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C:180F:65536",
    "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C:180:1", "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C:180F:1:2A19",
    "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C:180F:1:2A19:2:2902:3:2902:4",
  ])
  func whatIsNoIDIsNil(_ text: String) { #expect(AttributeID(text) == nil) }
}
