import BridgeProtocol
import Testing

/// What is tolerated in a client's lines.
@Suite struct ClientMessageTests {
  private let id = PeripheralIdentifier("2B7E1516-28AE-D2A6-ABF7-158809CF4F3C")!

  private func message(_ text: String) throws -> ClientMessage { try ClientMessage(line: text.utf8) }

  @Test func numbersZeroAndOneAreReadAsBooleans() throws {
    let attribute = "\(id):180F:0:2A19:0"
    for (text, enabled) in [("1", true), ("0", false), ("true", true), ("false", false), ("1.0", true)] {
      let line = #"{"type":"setNotify","id":"\#(id)","characteristicId":"\#(attribute)","enabled":\#(text)}"#
      #expect(
        try message(line) == .setNotify(SetNotify(id: id, characteristicId: attribute, enabled: enabled)))
    }
    #expect(
      try message(#"{"type":"scan","options":{"kCBScanOptionAllowDuplicates":1}}"#)
        == .scan(Scan(allowDuplicates: true)))
  }

  @Test func whatMayBeAbsentMayBeNullToo() throws {
    #expect(try message(#"{"type":"hello"}"#) == .hello(Hello()))
    #expect(try message(#"{"type":"hello","pid":null,"features":null}"#) == .hello(Hello()))
    #expect(try message(#"{"type":"scan"}"#) == .scan(Scan()))
    #expect(try message(#"{"type":"scan","services":null,"options":null,"_scannerKeys":null}"#) == .scan(Scan()))
    #expect(try message(#"{"type":"connect","id":"\#(id)"}"#) == .connect(Connect(id: id)))
    #expect(try message(#"{"type":"discoverServices","id":"\#(id)"}"#) == .discoverServices(DiscoverServices(id: id)))
    #expect(
      try message(#"{"type":"write","id":"\#(id)","characteristicId":"c","value":""}"#)
        == .write(WriteCharacteristic(id: id, characteristicId: "c", value: [], writeType: .withResponse)))
    #expect(try message(#"{"type":"devices"}"#) == .devices(Devices(watch: false)))
    #expect(
      try message(#"{"type":"registerForConnectionEvents"}"#)
        == .registerForConnectionEvents(RegisterForConnectionEvents()))
  }

  @Test func namesOfScannersAreForInformationOnly() throws {
    #expect(try message(#"{"type":"scan","_scannerKeys":7}"#) == .scan(Scan()))
  }

  @Test func unknownKeysAreIgnored() throws {
    #expect(try message(#"{"x":{"type":"scan"},"type":"stopScan","y":[1,{"z":null}]}"#) == .stopScan(StopScan()))
  }

  @Test func unknownTypesAreNamed() throws {
    #expect(try message(#"{"type":"flyToTheMoon","id":7}"#) == .unknown(type: "flyToTheMoon"))
    #expect(try message(#"{"type":""}"#) == .unknown(type: ""))
    #expect(try message(#"{"type":"didConnect","id":7}"#) == .unknown(type: "didConnect"))
  }

  @Test func theKeysComeInAnyOrderAndTheEndOfTheLineMayBeThere() throws {
    let expected = ClientMessage.cancel(Cancel(id: id))
    #expect(try message("{\"id\":\"\(id)\",\"type\":\"cancel\"}\r") == expected)
    #expect(try message("{\"type\":\"cancel\",\"id\":\"\(id)\"}\r\n") == expected)
    #expect(try message("  { \"type\" : \"can\\u0063el\" , \"\\u0069d\" : \"\(id)\" }  ") == expected)
  }

  @Test func escapedSlashesAreUndone() throws {
    #expect(
      try message(#"{"type":"l2capWrite","channelId":"a\/b","value":"\/\/\/+"}"#)
        == .l2capWrite(L2CAPWrite(channelId: "a/b", value: [0xFF, 0xFF, 0xFE])))
  }

  @Test func identifiersAreComparedByValue() throws {
    #expect(try message(#"{"type":"cancel","id":"\#(id.text.lowercased())"}"#) == .cancel(Cancel(id: id)))
  }

  @Test func theAttributeSaysWhosePeripheralItIs() throws {
    let attribute = "\(id):180F:0:2A19:0"
    let expected = ClientMessage.read(ReadCharacteristic(id: id, characteristicId: attribute))
    let other = "6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4E01"
    #expect(try message(#"{"type":"read","id":"\#(other)","characteristicId":"\#(attribute)"}"#) == expected)
    #expect(try message(#"{"type":"read","id":7,"characteristicId":"\#(attribute)"}"#) == expected)
    #expect(try message(#"{"type":"read","characteristicId":"\#(attribute)"}"#) == expected)
    #expect(
      try message(#"{"type":"read","id":"\#(id)","characteristicId":"odd"}"#)
        == .read(ReadCharacteristic(id: id, characteristicId: "odd")))
  }

  @Test func attributeIdentifiersAreKeptAsTheClientWroteThem() throws {
    let attribute = "\(id.text.lowercased()):180f:0:2a19:0"
    #expect(
      try message(#"{"type":"read","id":"\#(id)","characteristicId":"\#(attribute)"}"#)
        == .read(ReadCharacteristic(id: id, characteristicId: attribute)))
  }

  @Test func aScanKeepsItsSpelling() throws {
    let long = "0000180f-0000-1000-8000-00805f9b34fb"
    guard case .scan(let scan) = try message(#"{"type":"scan","services":["\#(long)","180F"]}"#) else {
      Issue.record("not a scan")
      return
    }
    #expect(scan.services.map(\.text) == [long.uppercased(), "180F"])
    #expect(scan.services[0].uuid == scan.services[1].uuid)
  }

  @Test func aScanTakesEitherNameOfTheSolicitedServices() throws {
    let solicited = [SpelledUUID("1805")!]
    for key in ["kCBScanOptionSolicitedServiceUUIDs", "solicitedServiceUUIDs"] {
      #expect(
        try message(#"{"type":"scan","options":{"\#(key)":["1805"]}}"#) == .scan(Scan(solicitedServices: solicited)))
    }
  }

  @Test func optionsOfAConnectAreHandedOnAsTheyAre() throws {
    #expect(
      try message(#"{"type":"connect","id":"\#(id)","options":{"a":[1,"x",{"b":null}],"c":true}}"#)
        == .connect(
          Connect(
            id: id,
            options: ["a": .array([.integer(1), .string("x"), .object(["b": .null])]), "c": .bool(true)])))
  }

  @Test func featuresThatAreNotKnownAreLeftOut() throws {
    guard case .hello(let hello) = try message(#"{"type":"hello","features":["mtu","warp","state"]}"#) else {
      Issue.record("not a hello")
      return
    }
    #expect(hello.requestedFeatures == [.mtu, .state])
    #expect(Hello().requestedFeatures == nil)
    #expect(Hello(features: []).requestedFeatures == [])
  }
}
