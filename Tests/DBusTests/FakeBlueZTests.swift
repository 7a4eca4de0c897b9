import BridgeIO
import DBus
import TestSupport
import Testing

@Suite struct FakeBlueZTests {
  @Test @BridgeQueue func aFirstAdvertisementAddsTheDeviceAndLaterOnesChangeIt() async throws {
    try await BlueZClient.run { fake, client in
      let device = fake.adapter.addDevice(
        "C0:00:00:00:00:01", FakeAdvertisement(name: "Thermo", uuids: ["180f"], manufacturerData: [0x4C: [1]]))
      #expect(!device.advertise())
      try await client.startDiscovery()
      #expect(device.advertise())
      #expect(device.advertise(rssi: -60))
      try await client.barrier()
      #expect(client.told.suffix(2) == ["+ dev_C0_00_00_00_00_01", "dev_C0_00_00_00_00_01 RSSI"])
      let all = try await client.call(
        "/org/bluez/hci0/dev_C0_00_00_00_00_01", FakeBus.properties, "GetAll", "org.bluez.Device1")
      let properties = try #require(all.arguments.first?.properties)
      #expect(properties["RSSI"] == .int16(-60))
      #expect(properties["UUIDs"] == .strings([bluezUUID("180f")]))
      #expect(
        properties["ManufacturerData"]
          == .array(element: "{qv}", [.entry(key: .uint16(0x4C), value: .variant(.bytes([1])))]))
    }
  }

  @Test @BridgeQueue func connectTellsConnectedBeforeItsReplyAndServicesAfterIt() async throws {
    try await BlueZClient.run { fake, client in
      let device = fake.adapter.addDevice(
        "C0:00:00:00:00:01", stored: true,
        services: [FakeServiceDescription("180f", [FakeCharacteristicDescription("2a19", ["read", "notify"])])])
      try await client.barrier()
      client.told = []
      client.send(device.path, FakeBus.device, "Connect") { client.told.append("connected \($0.isSuccess)") }
      #expect(await eventually { client.told.last?.hasSuffix("ServicesResolved UUIDs") == true })
      #expect(client.told.prefix(2) == ["dev_C0_00_00_00_00_01 Connected", "connected true"])
      #expect(client.told.contains("+ char0006"))
    }
  }

  @Test @BridgeQueue func aReadTellsTheValueJustBeforeItsReply() async throws {
    try await BlueZClient.run { fake, client in
      let battery = try await client.connectBattery(fake)
      battery.value = [42]
      client.told = []
      client.send(battery.path, FakeBus.characteristic, "ReadValue", .properties([:])) { result in
        client.told.append("read \((try? result.get())?.arguments.first?.bytes ?? [])")
      }
      #expect(await eventually { client.told.count == 2 })
      #expect(client.told == ["char0006 Value", "read [42]"])
    }
  }

  @Test @BridgeQueue func discoveryKnowsItsSessionsAndRefusesAsBluetoothdDoes() async throws {
    try await BlueZClient.run { fake, client in
      let adapter = fake.adapter.path
      let error = await client.failure(adapter, FakeBus.adapter, "StopDiscovery")
      #expect(error == .bluez("Failed", "No discovery started"))
      let wrong = Value.properties(["RSSI": .int32(-100)])
      #expect(await client.failure(adapter, FakeBus.adapter, "SetDiscoveryFilter", wrong) == .bluezInvalidArguments)
      try await client.startDiscovery()
      #expect(await client.failure(adapter, FakeBus.adapter, "StartDiscovery") == .bluezInProgress)
      client.connection.close()
      #expect(await eventually { !fake.adapter.isDiscovering })
    }
  }

  @Test @BridgeQueue func hooksHoldLoseAndReplaceAnswers() async throws {
    try await BlueZClient.run { fake, client in
      let adapter = fake.adapter.path
      fake.onCall("StartDiscovery", times: 1) { _ in .hold }
      var answered = false
      client.send(adapter, FakeBus.adapter, "StartDiscovery") { _ in answered = true }
      let held = await fake.call("StartDiscovery")
      try await client.barrier()
      #expect(!answered && !fake.adapter.isDiscovering)
      held.release()
      #expect(await eventually { answered && fake.adapter.isDiscovering })
      fake.onCall("StopDiscovery") { _ in .fail(.bluezInProgress) }
      #expect(await client.failure(adapter, FakeBus.adapter, "StopDiscovery") == .bluezInProgress)
      #expect(fake.calls("StopDiscovery").count == 1)
    }
  }

  @Test @BridgeQueue func powerOffTellsLinksBeforeTheAdapter() async throws {
    try await BlueZClient.run { fake, client in
      _ = try await client.connectBattery(fake)
      client.told = []
      fake.adapter.setPowered(false)
      try await client.barrier()
      #expect(
        client.told == [
          "hci0 PowerState", "dev_C0_00_00_00_00_01 Connected ServicesResolved", "char0002 -MTU", "char0006 -MTU",
          "hci0 PowerState Powered",
        ])
    }
  }

  @Test @BridgeQueue func aRestartKeepsStoredDevicesAndDropsSessions() async throws {
    try await BlueZClient.run { fake, client in
      let battery = try await client.connectBattery(fake)
      let path = battery.path
      try await client.startDiscovery()
      fake.onCall("ReadValue") { _ in .hold }
      var failure: DBusError?
      client.send(path, FakeBus.characteristic, "ReadValue", .properties([:])) { failure = $0.failure }
      await fake.call("ReadValue")
      fake.die()
      #expect(await eventually { failure?.name == "org.freedesktop.DBus.Error.NoReply" })
      try await fake.comeBack()
      #expect(!fake.adapter.isDiscovering)
      let objects = try await client.objects()
      #expect(objects.contains("dev_C0_00_00_00_00_01") && objects.contains("char0006"))
      #expect(await eventually { !fake.adapter.devices[0].isConnected })
    }
  }

  @Test @BridgeQueue func anAdapterComesBackUnderAnotherName() async throws {
    try await BlueZClient.run { fake, client in
      _ = try await client.connectBattery(fake)
      fake.adapter.unplug()
      #expect(try await client.objects() == ["bluez"])
      fake.adapter.plug(as: "hci1")
      #expect(try await client.objects().contains("hci1"))
      #expect(fake.adapter.devices[0].path == "/org/bluez/hci1/dev_C0_00_00_00_00_01")
    }
  }

  @Test @BridgeQueue func notificationsAreToldOncePerSessionAndChangedServicesReplaced() async throws {
    try await BlueZClient.run { fake, client in
      let battery = try await client.connectBattery(fake)
      _ = try await client.call(battery.path, FakeBus.characteristic, "StartNotify")
      client.told = []
      battery.notify([1], [1], [2])
      try await client.barrier()
      #expect(client.told == ["char0006 Value", "char0006 Value", "char0006 Value"])
      client.told = []
      fake.adapter.devices[0].changeServices([FakeServiceDescription("180d", handle: 0x20)])
      try await client.barrier()
      #expect(Set(client.told.prefix(3)) == ["- char0006", "- desc0008", "- service0005"])
      #expect(client.told.contains("+ service0020"))
    }
  }

  @Test @BridgeQueue func aProtectedCharacteristicPairsThroughTheAgent() async throws {
    try await BlueZClient.run { fake, client in
      let device = fake.adapter.addDevice(
        "C0:00:00:00:00:01", stored: true,
        services: [
          FakeServiceDescription(
            "fff0", [FakeCharacteristicDescription("fff1", ["read"], value: [7], isProtected: true)])
        ])
      device.connectByOther()
      #expect(await eventually { device.characteristic("fff1").path != "" })
      var asked = 0
      client.connection.export("/agent") { call, reply in
        asked += call.isCall("org.bluez.Agent1", "RequestAuthorization") ? 1 : 0
        reply(.success([]))
      }
      _ = try await client.call(
        "/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", .objectPath("/agent"), .string("NoInputNoOutput"))
      let reply = try await client.call(
        device.characteristic("fff1").path, FakeBus.characteristic, "ReadValue", .properties([:]))
      #expect(reply.arguments == [.bytes([7])])
      #expect(asked == 1 && device.isPaired)
    }
  }
}
