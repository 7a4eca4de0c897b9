import BridgeIO
import BridgeProtocol
import Radio
import RadioFaults

extension Session {
  /// Answers a hello that asks for features; the others get no answer.
  func welcome(_ hello: Hello) {
    if hello.features != nil {
      send(
        .welcome(
          Welcome(
            serverVersion: server.configuration.serverVersion, features: features,
            mode: server.worlds.servedMode.rawValue, state: server.state)))
    }
    guard server.state == .poweredOn || staysWithoutRadio else { return close("the radio is off") }
    resumeScan()
    restore()
  }

  /// For clients with the feature only: addresses, and who else is here, are not for apps.
  func answerControl(_ message: ClientMessage) {
    guard features.contains(.control) else {
      return Log.notice("session", "\(name): \(message.type) without the feature control is ignored")
    }
    switch message {
    case .devices(let request): reportDevices(watch: request.watch)
    case .setMode(let request): setMode(request)
    case .setFault(let request): setFault(request)
    case .clearFaults(let request): clearFaults(request)
    case .faults: reportFaults()
    case .enterPasskey(let request): enterPasskey(request)
    default: reportStatus()
    }
  }

  private func reportStatus() {
    let activity = server.activity
    send(
      .didReportStatus(
        DidReportStatus(
          serverVersion: server.configuration.serverVersion, uptime: server.uptime,
          socketPath: server.socketPath, policy: server.configuration.policy.rawValue,
          radios: server.worlds.map(\.status), mode: server.mode, serving: server.worlds.servedMode.rawValue,
          notice: server.chooser?.notice, mockConfiguration: server.mockConfigurationName,
          clients: server.sessions.map(\.status), trafficActive: activity.activeDevices > 0,
          lastActivity: activity.lastActivity)))
  }

  private func setMode(_ request: SetMode) {
    guard let chooser = server.chooser else { return reportMode(.modeIsFixed) }
    chooser.choose(mode: request.mode, configuration: request.mockConfiguration) { [weak self] error in
      self?.reportMode(error)
    }
  }

  /// A `setMode` that could not be read.
  func refuseSetMode(_ error: MessageDecodingError) {
    guard features.contains(.control), case .field(let field, let problem, _) = error else { return }
    reportMode(.invalidParameters.saying("\(field): \(problem)"))
  }

  private func reportMode(_ error: BluetoothError?) {
    send(
      .didSetMode(
        DidSetMode(
          mode: server.mode, serving: server.worlds.servedMode.rawValue,
          mockConfiguration: server.mockConfigurationName, error: error)))
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

extension BluetoothError {
  fileprivate static let modeIsFixed = operationNotSupported.saying("The radios of this service cannot be chosen")
}

extension World {
  fileprivate var status: RadioStatus {
    let description = radio.description
    return RadioStatus(
      kind: description.kind, adapter: description.adapter, address: description.address, state: radio.state,
      problem: description.problem)
  }
}
