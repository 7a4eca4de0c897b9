import BlueZBackend
import BridgeIO
import BridgeProtocol
import DBus
import Radio
import TestSupport
import Testing

/// The whole radio against a daemon that behaves as bluetoothd does, through whole stories.
@Suite @BridgeQueue struct BlueZRadioStoryTests {
  private let sensor = [
    FakeServiceDescription(
      "fff0",
      [
        FakeCharacteristicDescription("fff1", ["read", "write", "notify"], value: [1, 2, 3]),
        FakeCharacteristicDescription("fff2", ["read"], value: [9], isProtected: true),
      ])
  ]

  private func add(_ fake: FakeBlueZ) -> FakeDevice {
    fake.adapter.addDevice("C0:00:00:00:00:01", FakeAdvertisement(name: "Sensor", uuids: ["fff0"]), services: sensor)
  }

  @Test func aPeripheralIsFoundConnectedReadWrittenAndHeard() async throws {
    try await RadioStory.run { fake, story in
      let device = add(fake)
      let peripheral = try await story.connect(device)
      let database = try await story.database(of: peripheral)
      #expect(database.services.map(\.uuid.description) == ["FFF0"])
      let handle = try #require(database.services.first?.characteristics.first?.handle)

      let value = try await result { story.radio.read(handle, of: peripheral, completion: $0) }.get()
      #expect(value == [1, 2, 3])
      var written: [String] = []
      device.characteristic("fff1").onWrite = { written.append("\($1) \($0)") }
      try await result { story.radio.write([5], to: handle, of: peripheral, completion: $0) }.get()
      #expect(written == ["request [5]"])
      try await result { story.radio.setNotify(true, characteristic: handle, of: peripheral, completion: $0) }.get()
      device.characteristic("fff1").notify([7], [7], [8])
      #expect(await story.tells("value [8]"))

      story.radio.disconnect(peripheral)
      #expect(await story.tells("disconnected 0"))
      #expect(!device.isConnected)
    }
  }

  @Test func readEchoesAreNoNotifications() async throws {
    try await RadioStory.run { fake, story in
      let device = add(fake)
      let peripheral = try await story.connect(device)
      let handle = try #require(try await story.database(of: peripheral).services.first?.characteristics.first?.handle)
      try await result { story.radio.setNotify(true, characteristic: handle, of: peripheral, completion: $0) }.get()
      story.told = []
      for _ in 0..<20 { _ = try await result { story.radio.read(handle, of: peripheral, completion: $0) }.get() }
      device.characteristic("fff1").notify([42])
      #expect(await eventually { !story.told.isEmpty })
      #expect(story.told.filter { $0.hasPrefix("value") } == ["value [42]"])
    }
  }

  @Test func aReadPendingWhenTheLinkDropsFailsBeforeTheDisconnectIsTold() async throws {
    try await RadioStory.run { fake, story in
      let device = add(fake)
      let peripheral = try await story.connect(device)
      let handle = try #require(try await story.database(of: peripheral).services.first?.characteristics.first?.handle)
      fake.timing.request = .seconds(10)
      story.radio.read(handle, of: peripheral) {
        story.told.append("read \($0)".hasPrefix("read failure") ? "no value" : "")
      }
      await fake.call("ReadValue")
      device.dropLink()
      #expect(await story.tells("no value"))
      #expect(await story.tells("disconnected 7"))
    }
  }

  @Test func aReplyLostToARemovalEndsTheRequest() async throws {
    try await RadioStory.run { fake, story in
      let device = add(fake)
      let peripheral = try await story.connect(device)
      let handle = try #require(try await story.database(of: peripheral).services.first?.characteristics.first?.handle)
      fake.onCall("ReadValue") { _ in .lose }
      story.radio.read(handle, of: peripheral) { _ in story.told.append("over") }
      await fake.call("ReadValue")
      device.removeObject()
      #expect(await story.tells("over"))
    }
  }

  @Test func aKilledDaemonComesBackAndTheRadioWithIt() async throws {
    try await RadioStory.run { fake, story in
      let device = add(fake)
      _ = try await story.connect(device)
      fake.die()
      #expect(await story.tells("resetting"))
      try await fake.comeBack()
      #expect(await story.tells("poweredOn"))
      #expect(await eventually { !device.isConnected })
      story.told = []
      _ = try await story.connect(device)
    }
  }

  @Test func anAdapterThatReturnsUnderAnotherNameIsUsedAgain() async throws {
    try await RadioStory.run { fake, story in
      let device = add(fake)
      _ = try await story.connect(device)
      fake.adapter.unplug()
      #expect(await eventually { story.radio.state != .poweredOn })
      fake.adapter.plug(as: "hci1")
      #expect(await story.tells("poweredOn"))
      _ = try await story.connect(device)
      #expect(device.path.hasPrefix("/org/bluez/hci1/"))
    }
  }

  @Test func aProtectedValueIsReadThroughPairing() async throws {
    try await RadioStory.run { fake, story in
      let device = add(fake)
      #expect(await eventually { !fake.agents.isEmpty })
      let peripheral = try await story.connect(device)
      let characteristics = try await story.database(of: peripheral).services.first?.characteristics ?? []
      let handle = try #require(characteristics.last?.handle)
      let value = try await result { story.radio.read(handle, of: peripheral, completion: $0) }.get()
      #expect(value == [9])
      #expect(device.isPaired)
    }
  }

  @Test func changedServicesAreTold() async throws {
    try await RadioStory.run { fake, story in
      let device = add(fake)
      let peripheral = try await story.connect(device)
      let old = try #require(try await story.database(of: peripheral).services.first?.handle)
      device.changeServices([FakeServiceDescription("fff5", handle: 0x40)])
      #expect(await story.tells("modified [\(old)]"))
      #expect(try await story.database(of: peripheral).services.map(\.handle) == [0x40])
    }
  }

  @Test func powerOffAndOnResumesTheScan() async throws {
    try await RadioStory.run { fake, story in
      let device = add(fake)
      device.isAdvertising = true
      story.radio.scan(RadioScan(allowDuplicates: true))
      #expect(await story.tells("advertisement"))
      fake.adapter.setPowered(false)
      #expect(await story.tells("poweredOff"))
      fake.adapter.setPowered(true)
      #expect(await story.tells("poweredOn"))
      #expect(await story.tells("advertisement"))
    }
  }
}
