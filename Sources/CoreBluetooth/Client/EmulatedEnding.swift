package import BridgeProtocol

/// What emulation adds to the end of a connection that the app cancels.
package struct EmulatedEnding: Sendable {
  /// How long the cancel takes.
  package var delay = Duration.zero
  /// What the end is told with.
  package var error: BluetoothError?

  package init(delay: Duration = .zero, error: BluetoothError? = nil) {
    self.delay = delay
    self.error = error
  }
}
