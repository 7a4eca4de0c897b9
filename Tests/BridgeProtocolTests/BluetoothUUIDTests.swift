import BridgeProtocol
import Testing

@Suite struct BluetoothUUIDTests {
  @Test func spellingsOfOneValueAreEqual() throws {
    let short = try #require(BluetoothUUID("180f"))
    #expect(short == BluetoothUUID("0000180F"))
    #expect(short == BluetoothUUID("0000180f-0000-1000-8000-00805F9B34FB"))
    #expect(short.text == "180F")
    #expect(short.fullText == "0000180F-0000-1000-8000-00805F9B34FB")
    #expect(short.short == 0x180F)
  }

  @Test func theTextIsUpperCaseAndAsShortAsCanBe() throws {
    #expect(try #require(BluetoothUUID("12345678-0000-1000-8000-00805f9b34fb")).text == "12345678")
    let long = "8d1e0020-7a3c-4b6f-9e11-5a2b3c4d5e6f"
    #expect(try #require(BluetoothUUID(long)).text == long.uppercased())
    #expect(try #require(BluetoothUUID(long)).short == nil)
  }

  @Test(arguments: [
    "", "18", "180", "180G", "180FF", "0x180F", "180F ", "８０１２", "8D1E00207A3C4B6F9E115A2B3C4D5E6F",
    "8D1E0020-7A3C-4B6F-9E11-5A2B3C4D5E6", "8D1E0020-7A3C-4B6F-9E11-5A2B3C4D5E6FF",
    "8D1E0020+7A3C-4B6F-9E11-5A2B3C4D5E6F", "{D1E0020-7A3C-4B6F-9E11-5A2B3C4D5E6}",
  ])
  func anythingElseIsRefused(_ text: String) { #expect(BluetoothUUID(text) == nil) }

  @Test func aPeripheralIdentifierIsReadInEitherCase() {
    let text = "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C"
    #expect(PeripheralIdentifier(text.lowercased())?.text == text)
    #expect(PeripheralIdentifier("180F") == nil)
  }

  @Test func theOwnerOfAnAttributeIsItsFirstPart() {
    let text = "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C"
    #expect(PeripheralIdentifier(ownerOf: text + ":180F:0") == PeripheralIdentifier(text))
    #expect(PeripheralIdentifier(ownerOf: text) == nil)
    #expect(PeripheralIdentifier(ownerOf: "180F:0") == nil)
    #expect(PeripheralIdentifier(ownerOf: text + "x:180F:0") == nil)
  }
}
