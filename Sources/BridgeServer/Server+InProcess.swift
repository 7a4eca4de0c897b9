public import BridgeIO

// A service for clients in its own process, without sockets or files: emulation in tests.

extension Server {
  /// Starts the radios, and serves who is brought by `serve(_:)`. Ended by `stop` like any other.
  public func startInProcess() { startWorlds() }

  /// Serves a client by its connected socket, also while the radios are off. Closed at once if the service stops.
  public func serve(_ descriptor: consuming FileDescriptor) { accept(descriptor, .control) }

  /// Closes every client's connection, as if the service had gone; what they held is released.
  public func closeClients(_ reason: String) { for session in sessions { session.close(reason) } }
}
