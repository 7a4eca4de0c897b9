import BridgeProtocol
import Testing

/// The `behavior` objects: what they say, and what is wrong with them.
@Suite struct BehaviorTests {
  private func file(_ json: String) -> MockConfigurationFile {
    var problems: [ConfigurationProblem] = []
    return MockConfigurationFile(Array(json.utf8), name: "test", problems: &problems)
  }

  private func device(_ behavior: String, services: String = "[]") -> String {
    #"{"name":"W","devices":[{"name":"D","services":\#(services),"behavior":\#(behavior)}]}"#
  }

  private func characteristic(_ behavior: String) -> String {
    device("{}", services: #"[{"uuid":"180F","characteristics":[{"uuid":"2A19","behavior":\#(behavior)}]}]"#)
  }

  private func found(_ json: String) -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    _ = MockConfigurationFile(Array(json.utf8), name: "test", problems: &problems)
    return problems
  }

  private func problems(_ json: String) -> [String] { found(json).map(\.description) }

  private func source(_ behavior: String) -> ValueSource? {
    let device = file(characteristic(#"{"source":\#(behavior)}"#)).configurations.first?.devices.first
    return device?.services.first?.characteristics.first?.behavior?.content.source
  }

  @Test(arguments: [
    (#"{"connectionDelay":"x"}"#, "connectionDelay: not a number"),
    (#"{"connectionDelay":-1}"#, "connectionDelay: out of range"),
    (#"{"delays":{"read":true}}"#, "delays.read: not a number"), (#"{"delays":[]}"#, "delays: not an object"),
    (#"{"preset":"slow"}"#, "preset: not one of default, instant"),
    (#"{"rssiRange":[-40,-80]}"#, "rssiRange: not two numbers, the lower first"),
    (#"{"connectionFailureRate":1.5}"#, "connectionFailureRate: out of range"),
    (#"{"seed":"a"}"#, "seed: not an integer"), (#"{"connectionError":17}"#, "connectionError: out of range"),
    (
      #"{"connectionError":{"domain":"CBATTErrorDomain","code":5}}"#, "connectionError: not a CBError"
    ),
    (#"{"discoverServicesError":{"domain":"X","code":5}}"#, "discoverServicesError.domain: not CBErrorDomain"),
    (#"{"faults":[{"operation":"read","attError":5},{"operation":"x"}]}"#, "faults[1].operation: not one of"),
    (#"{"faults":[{"operation":"read","attError":5,"name":"x"}]}"#, "faults[0].name: it is a fault of this device"),
    (#"{"advertising":{"interval":0.001}}"#, "advertising.interval: out of range"),
    (#"{"advertising":{"schedule":[{"after":1,"txPower":200}]}}"#, "advertising.schedule[0].txPower: out of range"),
    (#"{"advertising":{"schedule":[{"visible":false}],"repeat":true}}"#, "repeats without taking any time"),
    (#"{"serviceChanges":{"schedule":[{"hide":["x"]}]}}"#, "serviceChanges.schedule[0].hide[0]: not a UUID"),
  ])
  func aMistakeInADeviceIsNamedByItsField(_ behavior: String, _ reason: String) {
    let problems = problems(device(behavior))
    #expect(problems.count == 1)
    #expect(
      problems.first?.contains("devices[0].behavior.\(reason)") == true || problems.first?.contains(reason) == true)
  }

  @Test(arguments: [
    (#"{"source":{}}"#, "source.kind: missing"), (#"{"source":{"kind":"x"}}"#, "source.kind: not one of list"),
    (#"{"source":{"kind":"list","values":[]}}"#, "source.values: empty"),
    (#"{"source":{"kind":"list","values":["AA==","?"]}}"#, "source.values[1]: not base64"),
    (#"{"source":{"kind":"list","values":[{"at":2,"value":""},{"at":1}]}}"#, "source.values[1]: before the value"),
    (#"{"source":{"kind":"counter","to":5,"step":-1}}"#, "source.step: never gets"),
    (#"{"source":{"kind":"counter","format":"hex"}}"#, "source.format: not for numbers"),
    (#"{"source":{"kind":"counter","interval":0}}"#, "source.interval: out of range"),
    (#"{"source":{"kind":"counter","interval":0.0001,"while":"always"}}"#, "source.interval: out of range"),
    (#"{"source":{"kind":"randomWalk","min":5,"max":1,"step":1}}"#, "source.max: less than min"),
    (#"{"source":{"kind":"bytes","length":513}}"#, "source.length: out of range"),
    (#"{"source":{"kind":"csv","file":"","value":0}}"#, "source.file: no path"),
    (#"{"source":{"kind":"csv","file":"a"}}"#, "source.value: missing"),
    (#"{"source":{"kind":"command","command":[]}}"#, "source.command: no program"),
    (#"{"source":{"kind":"command","command":["a","b\u0000"]}}"#, "source.command[1]: has a NUL"),
    (#"{"read":{"kind":"csv","file":"a","value":1}}"#, "read.kind: not for reads"),
    (#"{"write":{"reject":0}}"#, "write.reject: out of range"),
    (
      "{\"write\":[{\"set\":[\(Array(repeating: "{}", count: 101).joined(separator: ","))]}]}",
      "write[0].set: more than 100"
    ),
    (#"{"write":[{},{"set":{"delay":"x"}}]}"#, "write[1].set.delay: not a number"),
    (#"{"faults":[{"operation":"connect","cbError":10}]}"#, "faults[0].operation: it concerns no characteristic"),
  ])
  func aMistakeInACharacteristicIsNamedByItsField(_ behavior: String, _ reason: String) {
    let problems = problems(characteristic(behavior))
    #expect(problems.count == 1)
    let place = "devices[0].services[0].characteristics[0].behavior."
    #expect(problems.first?.hasPrefix(place + reason) == true, "\(problems)")
  }

  @Test func theLineOfAMistakeIsThatOfTheFieldInside() {
    let text = """
      {"name": "W", "devices": [{"name": "D", "behavior": {
        "faults": [
          {"operation": "read", "attError": 5},
          {"operation": "read", "attError": 500}
        ]}}]}
      """
    let problem = found(text).first
    #expect(problem?.line == 4)
    #expect(problem?.path == "devices[0].behavior.faults[1].attError")
  }

  @Test func membersThatAreNotKnownAreKeptAndIgnored() {
    let text = device(#"{"mood":"good","seed":7}"#)
    let file = file(text)
    #expect(found(text).isEmpty)
    #expect(file.configurations.first?.devices.first?.behavior?.content.seed == 7)
    #expect(String(decoding: file.json(), as: UTF8.self).contains(#""mood""#))
  }

  @Test(arguments: [
    #"{"kind":"csv","file":"/etc/passwd","value":0}"#, #"{"kind":"command","command":["reboot"]}"#,
  ])
  func anUploadReachesNoFilesAndPrograms(_ source: String) throws {
    let text = """
      {"id":"2B7E1516-28AE-D2A6-ABF7-158809CF4F3C","name":"W","devices":[{"id":"2B7E1516-28AE-D2A6-ABF7-158809CF4F3D",
      "name":"D","rssi":-50,"isConnectable":true,"isEnabled":true,"advertisedServiceUUIDs":[],"pairingMode":0,
      "passkey":"","services":[{"id":"2B7E1516-28AE-D2A6-ABF7-158809CF4F3E","uuid":"180F","isPrimary":true,
      "characteristics":[{"id":"2B7E1516-28AE-D2A6-ABF7-158809CF4F3F","uuid":"2A19","properties":2,"securityLevel":0,
      "descriptors":[],"behavior":{"source":\(source)}}]}]}]}
      """
    #expect(throws: ConfigurationProblem.self) { try MockConfiguration(upload: JSONText(Array(text.utf8))) }
    let harmless = text.replacing(source, with: #"{"kind":"time"}"#)
    _ = try MockConfiguration(upload: JSONText(Array(harmless.utf8)))
  }

  @Test func presetsAndNamesOfOtherEmulatorsSetTheDelays() throws {
    let text =
      #"{"name":"W","devices":[],"behavior":{"preset":"default","readDelay":0.2,"writeValueForDescriptorDelayInSeconds":0.3,"delays":{"readRSSI":0.4}}}"#
    let simulation = try #require(file(text).configurations.first?.behavior?.content.simulation)
    #expect(simulation.knobs[.delay(.connect)] == 0.2)
    #expect(simulation.knobs[.delay(.read)] == 0.2)
    #expect(simulation.knobs[.delay(.write)] == 0.05)
    #expect(simulation.knobs[.delay(.writeDescriptor)] == 0.3)
    #expect(simulation.knobs[.delay(.readRSSI)] == 0.4)
    #expect(simulation.rssiRange == -80 ... -40)
    #expect(SimulationBehavior(.instant).knobs.values.allSatisfy { $0 == 0 })
  }

  @Test func aDeviceHasItsOwnSayInPlaceOfTheWorlds() throws {
    let text = """
      {"name":"W","behavior":{"readDelay":0.5,"connectionFailureRate":0.3,"seed":9},"devices":[
      {"name":"A"},{"name":"B","behavior":{"preset":"instant"}},
      {"name":"C","behavior":{"connectionFailureRate":1,"connectionError":10,"simulateReadWriteErrors":true}}]}
      """
    let configuration = try #require(file(text).configurations.first)
    let ids = configuration.devices.map(\.id)
    let faults = configuration.faults
    let reads = faults.filter { $0.rule.operation == .read }
    #expect(reads.map(\.excluded) == [[ids[1]]])
    let connects = faults.filter { $0.rule.operation == .connect }
    #expect(connects.map(\.rule.id) == [ids[2], ids[2], nil])
    #expect(connects.last?.excluded == [ids[2]])
    #expect(faults.allSatisfy { $0.rule.problem == nil && $0.rule.seed != nil })
    let own = faults.filter { $0.rule.id ?? ids[2] == ids[2] }.map(\.rule.seed)
    #expect(Set(own).count == own.count)
  }

  @Test func faultsOfACharacteristicAreForItAlone() throws {
    let text = characteristic(
      #"{"readError":2,"notificationDelay":0.1,"faults":[{"operation":"write","rate":0.5,"attError":14}]}"#)
    let configuration = try #require(file(text).configurations.first)
    #expect(configuration.faults.map(\.rule.operation) == [.notification, .read, .write])
    for fault in configuration.faults {
      #expect(fault.rule.characteristic == BluetoothUUID(short: 0x2A19))
      #expect(fault.rule.service == BluetoothUUID(short: 0x180F))
      #expect(fault.rule.id == configuration.devices.first?.id)
      #expect(fault.rule.problem == nil)
    }
  }

  @Test(
    arguments: [
      ("uint8", 300.0, [255]), ("uint8", -1.0, [0]), ("int8", -129.0, [0x80]), ("int8", -1.0, [0xFF]),
      ("uint16", 258.4, [2, 1]), ("int16", -2.0, [0xFE, 0xFF]), ("uint24", 65536.0, [0, 0, 1]),
      ("int24", 1e9, [0xFF, 0xFF, 0x7F]), ("uint32", 1e12, [255, 255, 255, 255]),
      ("uint64", 1e30, Array(repeating: 255, count: 8)),
      ("int64", -1e30, [0, 0, 0, 0, 0, 0, 0, 0x80]), ("float32", 1.0, [0, 0, 0x80, 0x3F]),
      ("text", 21.5, Array("21.5".utf8)),
      ("text", 21.0, Array("21".utf8)),
    ] as [(String, Double, [UInt8])])
  func numbersBecomeBytes(_ format: String, _ number: Double, _ bytes: [UInt8]) throws {
    #expect(ValueEncoding(try #require(.init(rawValue: format))).value(of: number) == bytes)
  }

  @Test func textsBecomeBytes() {
    #expect(ValueEncoding(.hex).value(of: "0a FF") == [10, 255])
    #expect(ValueEncoding(.hex).value(of: "0") == nil)
    #expect(ValueEncoding(.base64).value(of: "AQI=") == [1, 2])
    #expect(ValueEncoding(.uint16, scale: 100, prefix: [9]).value(of: "21.5") == [9, 0x66, 0x08])
    #expect(ValueEncoding(.uint8).value(of: "nan") == nil)
    #expect(ValueEncoding(.uint8).value(of: "x") == nil)
    #expect(ValueEncoding(.text).value(of: "hé") == Array("hé".utf8))
  }

  @Test func aSourceSaysAllOfIt() throws {
    let list = try #require(
      source(
        #"{"kind":"list","values":["AQ==",{"at":1.5,"value":"Ag=="}],"interval":0.5,"repeat":false,"while":"connected"}"#
      ))
    #expect(list.kind == .list([.init([1]), .init([2], at: 1.5)]))
    #expect(list.interval == 0.5 && !list.repeats && list.time == .connected)
    let walk = try #require(source(#"{"kind":"randomWalk","min":0,"max":10,"step":1,"format":"int16","scale":100}"#))
    #expect(walk.kind == .randomWalk(from: 5, 0...10, step: 1))
    #expect(walk.encoding.scale == 100)
  }
}
