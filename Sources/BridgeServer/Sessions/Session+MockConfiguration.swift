import BridgeIO
import BridgeProtocol
import Radio

/// Virtual devices of a client's own: they stand in for the service's, for this client alone, as long as it is there.
extension Session {
  func setMockConfiguration(_ request: SetMockConfiguration) {
    guard let chooser = server.chooser, let shared = server.worlds.first(where: { $0.mock != nil }) else {
      return refuseDevices("Not serving mock devices")
    }
    let configuration: MockConfiguration
    do throws(ConfigurationProblem) {
      configuration = try MockConfiguration(upload: request.configuration)
    } catch { return refuseDevices("\(error)") }
    ownConfiguration = configuration
    if let own = ownWorld {
      own.mock?.configuration = chooser.yielding(configuration)
    } else {
      let own = chooser.makeMock(configuration)
      ownWorld = own
      move(from: shared, to: own)
    }
    Log.notice("session", "\(name) has \(configuration.devices.count) virtual devices of its own")
    send(.didSetMockConfiguration(DidSetMockConfiguration()))
  }

  /// For devices that any client is pairing with, its own ones too.
  func enterPasskey(_ request: EnterPasskey) {
    let worlds = server.worlds + server.sessions.compactMap(\.ownWorld)
    let count = worlds.reduce(0) { $0 + ($1.mock?.enterPasskey(request.passkey, of: request.id) ?? 0) }
    guard count > 0 else {
      return fail(.enterPasskey(request), .invalidParameters.saying("No virtual device waits for a passkey"))
    }
    send(.didEnterPasskey(DidEnterPasskey(count: count)))
  }

  private func refuseDevices(_ reason: String) {
    Log.notice("session", "\(name): its virtual devices are refused: \(reason)")
    send(.didSetMockConfiguration(DidSetMockConfiguration(failure: reason)))
  }

  /// Back to what all clients see.
  func clearMockConfiguration() {
    guard let own = ownWorld else { return }
    ownWorld = nil
    ownConfiguration = nil
    if let shared = server.worlds.first(where: { $0.mock != nil }) { move(from: own, to: shared) }
    stop(own)
  }

  /// The worlds change: what is connected there ends.
  func removeOwnDevices() {
    guard let own = ownWorld else { return }
    ownWorld = nil
    ownConfiguration = nil
    if scan != nil { own.scans.stop(self) }
    stop(own)
  }

  private func stop(_ own: World) { own.stop {} }

  /// A real device has the identifier of one of the client's.
  func yieldOwnDevices(to peripheral: PeripheralIdentifier) {
    guard let own = ownWorld, let configuration = ownConfiguration, own.radio.knows(peripheral) else { return }
    if let yielded = server.chooser?.yielding(configuration) { own.mock?.configuration = yielded }
  }

  /// What the client has in one world it has in the other, as far as that has the same devices.
  private func move(from old: World, to new: World) {
    for connection in connections.values where connection.peripheral.shares === old.shares {
      if new.radio.knows(connection.id) {
        connection.move(to: new.shares)
      } else {
        loseConnection(connection)
      }
    }
    guard scan != nil else { return }
    old.scans.stop(self)
    new.scans.start(self)
  }
}
