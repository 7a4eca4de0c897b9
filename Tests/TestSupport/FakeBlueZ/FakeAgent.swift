import BridgeIO
public import DBus

/// How a fake peripheral pairs, and so what is asked of the agent.
public enum FakePairing: Hashable, Sendable {
  /// RequestAuthorization.
  case justWorks
  /// RequestConfirmation of this number.
  case comparison(UInt32)
  /// RequestPasskey; only this number is right.
  case passkey(UInt32)
}

/// A registered pairing agent.
public struct FakeAgent: Sendable {
  public var owner: String
  public var path: ObjectPath
  public var capability: String

  /// Asks the agent as bluetoothd does; a refusal or an agent that is gone is no.
  @BridgeQueue
  func ask(
    _ pairing: FakePairing, about device: String, on connection: Connection?,
    answer: @escaping @BridgeQueue (Bool) -> Void
  ) {
    guard let connection else { return }
    let (member, arguments): (String, [Value]) =
      switch pairing {
      case .justWorks: ("RequestAuthorization", [])
      case .comparison(let number): ("RequestConfirmation", [.uint32(number)])
      case .passkey: ("RequestPasskey", [])
      }
    let call = Message.methodCall(to: owner, path: path, interface: FakeNames.agent, member: member)
    call.append(contentsOf: [.objectPath(ObjectPath(device))] + arguments)
    connection.call(call) { result in
      guard case .success(let reply) = result else { return answer(false) }
      if case .passkey(let number) = pairing { return answer(reply.read { $0.integer() } == Int(number)) }
      answer(true)
    }
  }
}

/// AgentManager1 on /org/bluez.
extension FakeBlueZ {
  func addManagerObject() {
    let object = tree.add("/org/bluez", [FakeNames.agentManager: [:]])
    object.on(FakeNames.agentManager, "RegisterAgent") { [unowned self] in registerAgent($0) }
    object.on(FakeNames.agentManager, "UnregisterAgent") { [unowned self] in unregisterAgent($0) }
    object.on(FakeNames.agentManager, "RequestDefaultAgent") { [unowned self] in requestDefaultAgent($0) }
  }

  private static let capabilities: Set<String> = [
    "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
  ]

  private func registerAgent(_ call: FakeCall) {
    guard let path = call.arguments.first?.objectPath, let capability = call.arguments.last?.string,
      Self.capabilities.contains(capability)
    else { return call.fail(.bluezInvalidArguments) }
    guard !agents.contains(where: { $0.owner == call.sender }) else { return call.fail(.bluezAlreadyExists) }
    agents.append(FakeAgent(owner: call.sender, path: path, capability: capability))
    for adapter in adapters { adapter.update("Pairable", .boolean(true)) }
    call.reply()
  }

  private func unregisterAgent(_ call: FakeCall) {
    guard let index = agents.firstIndex(where: { $0.owner == call.sender }) else {
      return call.fail(.bluezDoesNotExist)
    }
    agents.remove(at: index)
    call.reply()
  }

  private func requestDefaultAgent(_ call: FakeCall) {
    guard let index = agents.firstIndex(where: { $0.owner == call.sender }) else {
      return call.fail(.bluezDoesNotExist)
    }
    agents.insert(agents.remove(at: index), at: 0)
    call.reply()
  }
}
