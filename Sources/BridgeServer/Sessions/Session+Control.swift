import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  /// Answers a hello that asks for features; the others get no answer.
  func welcome(_ hello: Hello) {
    if hello.features != nil {
      send(
        .welcome(
          Welcome(
            serverVersion: server.configuration.serverVersion, features: features,
            mode: server.mode, state: server.state)))
    }
    guard server.state == .poweredOn || staysWithoutRadio else { return close("the radio is off") }
    resumeScan()
  }

  /// For clients with the feature only: addresses, and who else is here, are not for apps.
  func answerControl(_ message: ClientMessage) {
    guard features.contains(.control) else {
      return Log.notice("session", "\(name): \(message.type) without the feature control is ignored")
    }
    if case .devices(let request) = message { reportDevices(watch: request.watch) } else { reportStatus() }
  }

  private func reportStatus() {
    let description = server.radioDescription
    let activity = server.activity
    send(
      .didReportStatus(
        DidReportStatus(
          serverVersion: server.configuration.serverVersion, uptime: server.uptime,
          socketPath: server.socketPath, policy: server.configuration.policy.rawValue,
          radio: RadioStatus(
            kind: description.kind, adapter: description.adapter, address: description.address, state: server.state,
            problem: description.problem),
          clients: server.sessions.map(\.status), trafficActive: activity.activeDevices > 0,
          lastActivity: activity.lastActivity)))
  }

  var status: ClientStatus {
    ClientStatus(
      id: number, pid: activityClient.pid, process: peer.processName.isEmpty ? nil : peer.processName,
      bundleId: hello?.bundleId, clientVersion: hello?.clientVersion, features: features, isScanning: scan != nil,
      connectedPeripherals: connections.values.filter { $0.state == .connected }.map(\.id), connectedSince: since)
  }

  private func reportDevices(watch: Bool) {
    send(.didReportDevices(DidReportDevices(devices: server.activity.devices)))
    watchesDevices = watch
    if watch { server.watchers.add() }
  }
}
