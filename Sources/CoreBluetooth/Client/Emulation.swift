import BridgeIO

// What an emulator in the process does to managers, as the system would.

extension CBCentralManager {
  /// Ends it as if its app had been killed: nothing more is told, and the service keeps what it held, if it does.
  package func loseService() {
    callbacks.close()
    let session = session
    BridgeQueue.async { session.abandon() }
  }
}

extension CBPeripheralManager {
  /// Ends it as if its app had been killed: nothing more is told, and the service keeps what it published, if it does.
  package func loseService() {
    callbacks.close()
    let session = session
    BridgeQueue.async { session.abandon() }
  }
}

extension CBPeripheral {
  /// The person in front of the device allows it to see notifications, or no longer.
  package func emulateANCSAuthorization(_ isAuthorized: Bool) {
    guard let manager else { return }
    manager.callbacks.add { [manager = WeakReference(manager), peripheral = Held(self)] in
      guard let manager = manager.object, peripheral.object.ancsAuthorized != isAuthorized else { return }
      peripheral.object.set(isANCSAuthorized: isAuthorized)
      manager.delegate?.centralManager(manager, didUpdateANCSAuthorizationFor: peripheral.object)
    }
  }
}
