import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  /// What a client wants that is a peripheral itself.
  func host(_ request: PeripheralRequest, _ message: ClientMessage) {
    guard features.contains(.peripheral) else { return fail(message, .operationNotSupported) }
    if let hosting { return hosting.handle(request) }
    guard case .hostPeripheral(let request) = request else { return fail(message, .notHosting) }
    guard let hosting = server.hosting else { return }
    // Who has begun to use the device that it is on stays there.
    if hosting.state == .poweredOn, scan == nil, connections.isEmpty,
      let key = SessionHosting.restoreKey(of: self, request)
    {
      moveToDevice(hosting.deviceOfKept(key))
    }
    guard let hostingDevice else { return }
    let new = SessionHosting(self, on: hostingDevice, hosting, request)
    self.hosting = new
    new.start()
  }

  func stopHosting() {
    hosting?.close()
    hosting = nil
  }

  /// What a client's app is called, also if it does not say.
  var appName: String { hello?.bundleId ?? processName }

  var processName: String { peer.processName.isEmpty ? "unknown" : peer.processName }
}

extension BluetoothError {
  fileprivate static let notHosting = invalidParameters.saying("hostPeripheral has to come first")
}
