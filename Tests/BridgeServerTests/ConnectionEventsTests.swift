import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// Connections of the host's, for clients that registered by service.
@Suite @BridgeQueue struct ConnectionEventsTests {
  private func client(_ service: ServiceFixture) async throws -> LineClient {
    let client = try service.client()
    client.hello(features: .control)
    client.send(
      .registerForConnectionEvents(
        RegisterForConnectionEvents(options: [
          "kCBConnectionEventMatchingOptionServiceUUIDs": .array([.string("180F")])
        ])))
    _ = try await client.messagesUntilStatus()
    return client
  }

  private func events(_ client: LineClient) async throws -> [Bool] {
    try await client.messagesUntilStatus().compactMap {
      guard case .connectionEvent(let event) = $0 else { return nil }
      return event.isConnected
    }
  }

  /// The meter is connected by somebody else, its services yet unknown.
  private func connect(_ radio: ScriptedRadio) -> GATTDatabase? {
    let database = radio.devices[.meter]?.database
    radio.devices[.meter]?.database = GATTDatabase(services: [])
    radio.devices[.meter]?.isConnected = true
    radio.observer?.radio(radio, connectionEvent: true, for: .meter)
    return database
  }

  @Test func aDeviceThatDoesNotAdvertiseItsServiceIsToldWhenItsServicesAreKnown() async throws {
    let service = try ServiceFixture()
    let client = try await client(service)
    let radio = service.radio
    let database = try #require(connect(radio))
    #expect(try await events(client) == [])
    radio.devices[.meter]?.database = database
    radio.observer?.radio(radio, didLearnServicesOf: .meter)
    radio.observer?.radio(radio, didLearnServicesOf: .meter)
    #expect(try await events(client) == [true])
    radio.devices[.meter]?.isConnected = false
    radio.observer?.radio(radio, connectionEvent: false, for: .meter)
    radio.observer?.radio(radio, didLearnServicesOf: .meter)
    #expect(try await events(client) == [false])
    await service.stop()
  }

  @Test func aDeviceThatTheRadioKnowsIsToldAtOnce() async throws {
    let service = try ServiceFixture()
    let client = try await client(service)
    let radio = service.radio
    radio.devices[.meter]?.isConnected = true
    radio.observer?.radio(radio, connectionEvent: true, for: .meter)
    #expect(try await events(client) == [true])
    await service.stop()
  }

  @Test func aConnectedDeviceHasItsNameThoughItNeverAdvertised() async throws {
    let service = try ServiceFixture()
    let client = try service.client()
    client.hello(features: [.control, .connectionEvents])
    client.send(
      .registerForConnectionEvents(
        RegisterForConnectionEvents(options: [
          "kCBConnectionEventMatchingOptionPeripheralUUIDs": .array([.string(PeripheralIdentifier.meter.text)])
        ])))
    _ = try await client.messagesUntilStatus()
    service.radio.devices[.meter]?.name = "Pen"
    service.radio.observer?.radio(service.radio, connectionEvent: true, for: .meter)
    let event = ServerMessage.connectionEvent(ConnectionEvent(id: .meter, isConnected: true, name: "Pen"))
    #expect(try await client.messagesUntilStatus().contains(event))
    await service.stop()
  }

  @Test func eachConnectionIsTold() async throws {
    let service = try ServiceFixture()
    let client = try await client(service)
    let radio = service.radio
    radio.devices[.meter]?.isConnected = true
    radio.observer?.radio(radio, connectionEvent: true, for: .meter)
    #expect(try await events(client) == [true])
    radio.observer?.radio(radio, connectionEvent: true, for: .meter)
    #expect(try await events(client) == [true])
    await service.stop()
  }
}
