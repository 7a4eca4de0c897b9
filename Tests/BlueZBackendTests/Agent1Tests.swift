import BridgeIO
import DBus
import TestSupport
import Testing

@testable import BlueZBackend

@Suite struct Agent1Tests {
  private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_C1_C2_C3_C4_C5"
  private static let stranger: ObjectPath = "/org/bluez/hci0/dev_00_00_00_00_00_01"

  /// bluetoothd's side: takes registrations, and asks.
  @BridgeQueue
  private final class Daemon {
    let connection: Connection
    var calls: [String] = []
    var arguments: [[Value]] = []

    init(_ bus: PrivateBus) async throws {
      connection = try bus.connect()
      connection.export("/org/bluez") { [weak self] call, reply in
        self?.calls.append(call.member ?? "")
        self?.arguments.append(call.arguments)
        reply(.success([]))
      }
      try await connection.requestName("org.bluez")
    }

    func ask(_ agent: Connection, _ member: String, _ arguments: Value...) async -> Result<[Value], DBusError> {
      let call = Message.methodCall(
        to: agent.uniqueName ?? "", path: Agent1.path, interface: "org.bluez.Agent1", member: member)
      call.append(contentsOf: arguments)
      do throws(DBusError) { return .success(try await connection.call(call).arguments) } catch {
        return .failure(error)
      }
    }
  }

  /// A registered agent, which has connected `device` and nothing else.
  @BridgeQueue
  private static func run(
    _ configuration: AgentConfiguration,
    _ body: @BridgeQueue (Daemon, Connection, Agent1) async throws -> Void
  ) async throws {
    try await PrivateBus.run { bus in
      let daemon = try await Daemon(bus)
      let connection = try bus.connect()
      try await connection.roundTrip()
      let agent = Agent1(bus: connection, configuration: configuration) { $0 == Self.device.text }
      agent.register(daemon: daemon.connection.uniqueName ?? "")
      try await connection.roundTrip()
      try await body(daemon, connection, agent)
    }
  }

  @Test @BridgeQueue func `a headless agent is registered with its capability and asks to be the default`() async throws
  {
    try await Self.run(AgentConfiguration(mode: .justWorks)) { daemon, _, _ in
      #expect(await eventually { daemon.calls == ["RegisterAgent", "RequestDefaultAgent"] })
      #expect(daemon.arguments.first == [.objectPath(Agent1.path), .string("NoInputNoOutput")])
    }
  }

  @Test @BridgeQueue func `an agent that leaves dialogs to the desktop does not ask for that`() async throws {
    try await Self.run(AgentConfiguration(mode: .auto)) { daemon, _, agent in
      #expect(await eventually { daemon.calls == ["RegisterAgent"] })
      agent.unregister()
      #expect(await eventually { daemon.calls == ["RegisterAgent", "UnregisterAgent"] })
    }
  }

  @Test @BridgeQueue func `without an agent nothing is registered`() async throws {
    try await Self.run(AgentConfiguration(mode: .none)) { daemon, connection, _ in
      try await connection.roundTrip()
      await turns(5)
      #expect(daemon.calls.isEmpty)
    }
  }

  @Test @BridgeQueue func `a new daemon is registered with again`() async throws {
    try await Self.run(AgentConfiguration(mode: .auto)) { daemon, _, agent in
      agent.register(daemon: daemon.connection.uniqueName ?? "")
      #expect(await eventually { daemon.calls == ["RegisterAgent", "RegisterAgent"] })
    }
  }

  @Test @BridgeQueue func `pairing without numbers is agreed to for our devices only`() async throws {
    try await Self.run(AgentConfiguration(mode: .auto)) { daemon, agent, _ in
      #expect(await daemon.ask(agent, "RequestAuthorization", .objectPath(Self.device)) == .success([]))
      let refused = await daemon.ask(agent, "RequestAuthorization", .objectPath(Self.stranger))
      #expect(errorName(refused) == "org.bluez.Error.Rejected")
    }
  }

  @Test @BridgeQueue func `a keyboard types the passkey, and without one refuses`() async throws {
    try await Self.run(AgentConfiguration(mode: .keyboard, passkey: 123456)) { daemon, agent, _ in
      #expect(await daemon.ask(agent, "RequestPasskey", .objectPath(Self.device)) == .success([.uint32(123456)]))
    }
    try await Self.run(AgentConfiguration(mode: .keyboard)) { daemon, agent, _ in
      #expect(
        errorName(await daemon.ask(agent, "RequestPasskey", .objectPath(Self.device))) == "org.bluez.Error.Rejected")
    }
  }

  @Test @BridgeQueue func `numbers are confirmed by those who confirm`() async throws {
    for (mode, confirms) in [(AgentMode.confirm, true), (.display, false), (.keyboardDisplay, true)] {
      try await Self.run(AgentConfiguration(mode: mode)) { daemon, agent, _ in
        let answer = await daemon.ask(agent, "RequestConfirmation", .objectPath(Self.device), .uint32(42))
        #expect((answer == .success([])) == confirms)
        let shown = await daemon.ask(agent, "DisplayPasskey", .objectPath(Self.device), .uint32(42), .uint16(0))
        #expect(shown == .success([]))
      }
    }
  }

  @Test @BridgeQueue func `only bluetoothd is answered`() async throws {
    try await PrivateBus.run { bus in
      let daemon = try await Daemon(bus)
      let connection = try bus.connect()
      try await connection.roundTrip()
      let agent = Agent1(bus: connection, configuration: AgentConfiguration(mode: .keyboard, passkey: 1)) { _ in true }
      agent.register(daemon: ":1.9999")
      #expect(
        errorName(await daemon.ask(connection, "RequestPasskey", .objectPath(Self.device)))
          == "org.freedesktop.DBus.Error.AccessDenied")
    }
  }

  @Test @BridgeQueue func `release and cancel are taken note of, unknown methods refused`() async throws {
    try await Self.run(AgentConfiguration(mode: .auto)) { daemon, agent, _ in
      #expect(await daemon.ask(agent, "Cancel") == .success([]))
      #expect(await daemon.ask(agent, "Release") == .success([]))
      #expect(
        errorName(await daemon.ask(agent, "Dance", .objectPath(Self.device)))
          == "org.freedesktop.DBus.Error.UnknownMethod")
    }
  }
}

private func errorName(_ result: Result<[Value], DBusError>) -> String? {
  if case .failure(let error) = result { error.name } else { nil }
}
