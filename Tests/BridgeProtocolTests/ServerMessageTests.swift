import BridgeProtocol
import Testing

/// What a client must and must not find in a line.
@Suite struct ServerMessageTests {
  private let id = PeripheralIdentifier("2B7E1516-28AE-D2A6-ABF7-158809CF4F3C")!

  private func text(_ message: ServerMessage, for features: Features = []) -> String {
    var line: [UInt8] = []
    message.appendLine(to: &line, for: features)
    return String(decoding: line, as: UTF8.self)
  }

  private func json(_ message: ServerMessage, for features: Features = []) throws -> JSONValue {
    try JSONValue(json: text(message, for: features).utf8)
  }

  @Test func linesAreAppended() {
    var line = Array("before\n".utf8)
    ServerMessage.didConnect(DidConnect(id: id)).appendLine(to: &line)
    ServerMessage.l2capClosed(L2CAPClosed(channelId: "c")).appendLine(to: &line)
    #expect(
      String(decoding: line, as: UTF8.self)
        == "before\n{\"type\":\"didConnect\",\"id\":\"\(id)\"}\n{\"type\":\"l2capClosed\",\"channelId\":\"c\"}\n")
  }

  @Test func successHasAnEmptyErrorAndNoCode() {
    let line = text(.didUpdateValue(DidUpdateValue(id: id, characteristicId: "c", value: [1, 2])), for: .errors)
    #expect(line.hasSuffix(#""value":"AQI=","error":""}"# + "\n"))
  }

  @Test func readsAndWritesAlwaysTellTheCode() throws {
    let error = BluetoothError.attribute(0x05)
    let messages: [ServerMessage] = [
      .didUpdateValue(DidUpdateValue(id: id, characteristicId: "c", value: [], error: error)),
      .didWriteValue(DidWriteValue(id: id, characteristicId: "c", error: error)),
    ]
    for message in messages {
      let line = try json(message)
      #expect(line["error"] == .string("Authentication is insufficient."))
      #expect(line["errorDomain"] == .string("CBATTErrorDomain"))
      #expect(line["errorCode"] == .integer(5))
    }
  }

  @Test func otherRepliesTellTheCodeOnlyWhoAskedForIt() throws {
    let message = ServerMessage.didFailConnect(DidFailConnect(id: id, error: .connectionFailed))
    #expect(try json(message)["errorCode"] == nil)
    #expect(try json(message)["errorDomain"] == nil)
    #expect(try json(message, for: .errors)["errorCode"] == .integer(10))
    #expect(try json(message, for: .errors)["errorDomain"] == .string("CBErrorDomain"))
  }

  @Test func aFailureNeverLooksLikeSuccess() throws {
    let message = ServerMessage.didFailConnect(DidFailConnect(id: id, error: .impossible("")))
    #expect(try json(message)["error"] == .string("Unknown error."))
  }

  @Test func arraysAreThereOnErrorsToo() throws {
    let error = BluetoothError.notConnected
    #expect(
      try json(.didDiscoverServices(DidDiscoverServices(id: id, services: [], error: error)))["services"] == .array([])
    )
    let included = DidDiscoverIncludedServices(id: id, serviceId: "s", includedServices: [], error: error)
    #expect(try json(.didDiscoverIncludedServices(included))["includedServices"] == .array([]))
    let characteristics = DidDiscoverCharacteristics(id: id, serviceId: "s", characteristics: [], error: error)
    #expect(try json(.didDiscoverCharacteristics(characteristics))["characteristics"] == .array([]))
    let descriptors = DidDiscoverDescriptors(id: id, characteristicId: "c", descriptors: [], error: error)
    #expect(try json(.didDiscoverDescriptors(descriptors))["descriptors"] == .array([]))
    #expect(try json(.didModifyServices(DidModifyServices(id: id)))["serviceIds"] == .array([]))
    let open = DidOpenL2CAP(id: id, channelId: "", psm: 192, error: error)
    #expect(try json(.didOpenL2CAP(open))["channelId"] == .string(""))
  }

  @Test func descriptorValuesAreTyped() throws {
    func reply(_ value: DescriptorValue?) throws -> (JSONValue?, JSONValue?) {
      let line = try json(
        .didUpdateDescriptorValue(DidUpdateDescriptorValue(id: id, descriptorId: "d", value: value)))
      return (line["value"], line["valueB64"])
    }
    #expect(try reply(.bytes([1])) == (.null, .string("AQ==")))
    #expect(try reply(.bytes([])) == (.null, .string("")))
    #expect(try reply(nil) == (.null, .string("")))
    #expect(try reply(.text("Shunt")) == (.string("Shunt"), .string("")))
    #expect(try reply(.number(1)) == (.integer(1), .string("")))
  }

  @Test func whatIsNotAdvertisedIsLeftOut() throws {
    let empty = AdvertisementData(localName: "", manufacturerData: [])
    let message = ServerMessage.didDiscover(DidDiscover(id: id, name: "", rssi: 127, advertisement: empty))
    #expect(try json(message)["adv"] == .object([:]))
    #expect(try json(message)["name"] == .string(""))
    #expect(try json(message)["rssi"] == .integer(127))
  }

  @Test func advertisedServicesAreSpelledAsTheScanSpelledThem() throws {
    let long = "0000180F-0000-1000-8000-00805F9B34FB"
    let battery = try #require(BluetoothUUID("180F"))
    let data = AdvertisementData(
      serviceUUIDs: [battery, BluetoothUUID(short: 0x180A)], solicitedServiceUUIDs: [battery],
      serviceData: [battery: [1]])
    let spelling = UUIDSpelling([try #require(SpelledUUID(long.lowercased()))])
    let message = ServerMessage.didDiscover(
      DidDiscover(id: id, name: "", rssi: -1, advertisement: data, spelling: spelling))
    let adv = try #require(try json(message)["adv"])
    #expect(adv["kCBAdvDataServiceUUIDs"] == .array([.string(long), .string("180A")]))
    #expect(adv["kCBAdvDataSolicitedServiceUUIDs"] == .array([.string(long)]))
    #expect(adv["kCBAdvDataServiceData"] == .object([long: .string("AQ==")]))
    #expect(UUIDSpelling([SpelledUUID(battery)]) == UUIDSpelling())
  }

  @Test func aTakeoverIsWordedAsImpossiBLEWordsIt() throws {
    let line = try json(.connectionRejected(ConnectionRejected(supersededBy: 5120, processName: "OrchardUITests")))
    #expect(line["code"] == .string("clientBusy"))
    #expect(line["message"] == .string("superseded by a newer client (pid=5120, process=OrchardUITests)"))
    #expect(line["retry"] == .bool(false))
    let unknown = ConnectionRejected(supersededBy: nil, processName: nil)
    #expect(unknown.message == "superseded by a newer client (pid=0, process=unknown)")
  }

  @Test func aClientToleratesNullWhereImpossiBLEDoes() throws {
    func message(_ text: String) throws -> ServerMessage { try ServerMessage(line: text.utf8) }
    #expect(
      try message(#"{"type":"didUpdateValue","id":"\#(id)","characteristicId":"c","value":null,"error":null}"#)
        == .didUpdateValue(DidUpdateValue(id: id, characteristicId: "c", value: [])))
    #expect(
      try message(#"{"type":"didDisconnect","id":"\#(id)","error":null,"timestamp":null,"isReconnecting":0}"#)
        == .didDisconnect(DidDisconnect(id: id, timestamp: nil)))
    #expect(
      try message(#"{"type":"didDiscover","id":"\#(id)","name":null,"rssi":1,"adv":null}"#)
        == .didDiscover(DidDiscover(id: id, name: "", rssi: 1, advertisement: AdvertisementData())))
    #expect(
      try message(#"{"type":"didDiscover","id":"\#(id)","rssi":1,"adv":{"localName":"x"}}"#)
        == .didDiscover(DidDiscover(id: id, name: "", rssi: 1, advertisement: AdvertisementData(localName: "x"))))
  }

  @Test func domainAndCodeAloneMeanFailure() throws {
    let line =
      #"{"type":"didWriteValue","id":"\#(id)","characteristicId":"c","error":"","errorDomain":"CBATTErrorDomain","errorCode":3}"#
    #expect(
      try ServerMessage(line: line.utf8)
        == .didWriteValue(
          DidWriteValue(id: id, characteristicId: "c", error: BluetoothError(.attribute, 3, ""))))
  }

  @Test func applesTimeStartsIn2001() { #expect(DidDisconnect.timestamp(unixTime: 978_307_200) == 0) }

  @Test func everyStateHasANameThatIsRead() {
    for state in AdapterState.allCases { #expect(AdapterState(name: state.name) == state) }
    #expect(AdapterState(name: "PoweredOn") == nil)
  }
}
