import BridgeIO
import BridgeProtocol
import Radio
import TestSupport
import Testing

@testable import MockBackend

/// Values that come by themselves, reads that are computed, replies to writes.
@Suite @BridgeQueue struct CharacteristicScriptTests {
  // MARK: Sources

  @Test func valuesComeWhileSomebodyIsSubscribedAndBeginAnewWithTheNext() async throws {
    let world = try ScriptedWorld(
      level: #"{"source": {"kind": "list", "values": ["AQ==", "Ag==", "Aw=="], "interval": 0.005, "repeat": false}}"#)
    await world.connect()
    await pass(.milliseconds(20))
    #expect(world.values.isEmpty)
    #expect(await world.read() == [100])
    for _ in 0..<2 {
      await world.subscribe()
      #expect(await world.values(3) == [[1], [2], [3]])
      #expect(await world.read() == [3])
      _ = await world.world.setNotify(false, world.handle(), world.device)
      _ = world.world.takeEvents()
    }
  }

  @Test func aSourceEndsWithTheLink() async throws {
    let world = try ScriptedWorld(level: #"{"source": {"kind": "counter", "interval": 0.002}}"#)
    await world.connect()
    await world.subscribe()
    _ = await world.values(3)
    world.radio.disconnect(world.device)
    #expect(await eventually { world.world.events.contains(.disconnected(world.device, nil)) })
    let count = world.values.count
    await pass(.milliseconds(20))
    #expect(world.values.count == count)
    await world.connect()
    await world.subscribe()
    #expect(await world.values(2) == [[0], [1]])
  }

  @Test func aSourceMayRunWithoutAnybodyListening() async throws {
    let world = try ScriptedWorld(
      level: #"{"source": {"kind": "counter", "from": 1, "to": 200, "interval": 0.002, "while": "always"}}"#)
    await pass(.milliseconds(20))
    await world.connect()
    #expect((await world.read())?.first ?? 0 != 100)
    await world.stop()
  }

  @Test func aSourceWaitsWhileNobodyReadsItsValuesAndLosesNone() async throws {
    let world = try ScriptedWorld(
      level: #"{"source": {"kind": "counter", "to": 65535, "format": "uint16", "interval": 0.0001}}"#)
    world.world.takesNotifications = false
    await world.connect()
    await world.subscribe()
    _ = await world.values(64)
    await pass(.milliseconds(20))
    let count = world.values.count
    await pass(.milliseconds(50))
    #expect(world.values.count == count)
    world.world.takesNotifications = true
    let values = await world.values(count + 1000)
    #expect(values == (0..<count + 1000).map { [UInt8($0 & 255), UInt8($0 >> 8)] })
    await world.stop()
  }

  @Test func scriptsTogetherDoOnlySoMuchInOneTurn() async {
    var count = 0
    while ScriptBudget.take() { count += 1 }
    #expect(count <= ScriptBudget.perTurn && !ScriptBudget.take(100))
    await turns(1)
    #expect(await eventually { ScriptBudget.take() })
  }

  @Test func repliesThatWaitAreBounded() async throws {
    let settings = Array(repeating: #"{"delay": 3600}"#, count: 100).joined(separator: ",")
    let world = try ScriptedWorld(level: #"{"write": {"set": [\#(settings)]}}"#)
    await world.connect()
    for value in 0..<500 { #expect(await world.write([UInt8(value & 255)]) == nil) }
    let device = try #require(world.radio.configuredPeripheral(world.device))
    #expect(device.pendingReplies == 10_000)
    await world.stop()
    #expect(device.pendingReplies == 0)
  }

  @Test func equalWorldsNotifyEqualValues() async throws {
    func run(seed: Int) async throws -> [[UInt8]] {
      let world = try ScriptedWorld(
        level: #"""
          {"source": {"kind": "randomWalk", "min": 0, "max": 65535, "step": 9999, "format": "uint16", "interval": 0.001}}
          """#, device: #"{"seed": \#(seed)}"#)
      await world.connect()
      await world.subscribe()
      return await world.values(30)
    }
    let values = try await run(seed: 3)
    #expect(try await run(seed: 3) == values)
    #expect(try await run(seed: 4) != values)
  }

  @Test func manyValuesASecondReachASubscriberInOrder() async throws {
    let world = try ScriptedWorld(
      level: #"{"source": {"kind": "counter", "to": 1e9, "format": "uint32", "interval": 0.00001}}"#)
    await world.connect()
    await world.subscribe()
    let values = await world.values(20_000)
    #expect(values.count == 20_000)
    let numbers = values.map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
    #expect(numbers == Array(0..<20_000))
    await world.stop()
  }

  @Test func rowsOfAFileComeAtTheirTimes() async throws {
    let folder = TemporaryFolder()
    try WholeFile.replace(folder.file("heart.csv"), with: Array("time,bpm\n5,60\n5.01,61\n5.02,62\n".utf8))
    let world = try ScriptedWorld(
      level: #"""
        {"source": {"kind": "csv", "file": "heart.csv", "time": "time", "value": "bpm", "prefix": "AA==", "repeat": false}}
        """#, folder: folder.path)
    await world.connect()
    await world.subscribe()
    #expect(await world.values(3) == [[0, 60], [0, 61], [0, 62]])
  }

  @Test func aFileThatIsNotThereGivesNothing() async throws {
    let world = try ScriptedWorld(
      level: #"{"source": {"kind": "csv", "file": "/dev/zero", "value": 0}}"#)
    await world.connect()
    await world.subscribe()
    await pass(.milliseconds(30))
    #expect(world.values.isEmpty)
    #expect(await world.read() == [100])
  }

  // MARK: Reads

  @Test func eachReadCountsOnAndASubscriptionSeesNothingOfIt() async throws {
    let world = try ScriptedWorld(level: #"{"read": {"kind": "counter", "from": 7}}"#)
    await world.connect()
    #expect(await world.read() == [7])
    #expect(await world.read() == [8])
    await world.subscribe()
    #expect(await world.read() == [9])
    #expect(world.values.isEmpty)
  }

  @Test func aLongComputedValueIsReadAsOnePiece() async throws {
    let world = try ScriptedWorld(level: #"{"read": {"kind": "bytes", "length": 512}}"#)
    await world.connect()
    let first = await world.read()
    #expect(first?.count == 512)
    #expect(await world.read() != first)
  }

  @Test func aReadGivesTheTime() async throws {
    let world = try ScriptedWorld(level: #"{"read": {"kind": "time", "format": "uint32"}}"#)
    await world.connect()
    let bytes = try #require(await world.read())
    #expect(bytes.reversed().reduce(0) { $0 << 8 | Int($1) } > 1_700_000_000)
  }

  // MARK: Writes

  @Test func aWriteIsEchoed() async throws {
    let world = try ScriptedWorld(level: #"{"write": {"echo": true}}"#)
    await world.connect()
    await world.subscribe()
    #expect(await world.write([5, 6]) == nil)
    #expect(await world.values(1) == [[5, 6]])
    #expect(await world.read() == [5, 6])
  }

  @Test func aWriteSetsAnotherCharacteristicAndNotifiesIt() async throws {
    let world = try ScriptedWorld(
      level: #"""
        {"write": [
          {"equals": "AQ==", "store": false, "set": {"characteristic": "2A29", "value": "Tw==", "delay": 0.01}},
          {"startsWith": "Ag==", "set": [{"characteristic": "2A29", "service": "180A"},
                                         {"characteristic": "2A29", "service": "1800"}]}]}
        """#)
    await world.connect()
    await world.subscribe(ScriptedWorld.name)
    #expect(await world.write([1]) == nil)
    #expect(await world.values(1) == [Array("O".utf8)])
    #expect(await world.read() == [100], "it is not stored")
    #expect(await world.write([2, 9]) == nil)
    #expect(await world.values(2).last == [2, 9])
    #expect(await world.write([3]) == nil)
    #expect(await world.read(ScriptedWorld.name) == [2, 9])
  }

  @Test func aWriteIsRejected() async throws {
    let world = try ScriptedWorld(level: #"{"write": [{"equals": "AA==", "reject": 128}, {"reject": 3}]}"#)
    await world.connect()
    #expect(await world.write([0]) == .attribute(0x80))
    #expect(await world.write([1]) == .attribute(0x03))
    #expect(await world.read() == [100])
  }

  @Test func repliesThatWaitDoNotOutliveTheWorld() async throws {
    let world = try ScriptedWorld(level: #"{"write": {"set": {"value": "Bw==", "delay": 0.01}}}"#)
    await world.connect()
    _ = await world.write([1])
    await world.stop()
    await pass(.milliseconds(20))
    #expect(world.radio.configuredPeripheral(world.device)?.attributes.isEmpty == false)
    #expect(world.values.isEmpty)
  }
}
