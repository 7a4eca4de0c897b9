package import BridgeIO
import Foundation

/// Where a manager finds its service.
package struct ServiceEndpoint: Sendable {
  /// Makes a connected, non-blocking socket. Called off the bridge queue, because it may block.
  let connect: @Sendable () throws -> FileDescriptor

  package init(connect: @escaping @Sendable () throws -> FileDescriptor) { self.connect = connect }

  /// A service that listens at a path.
  package static func socket(at path: String) -> ServiceEndpoint {
    ServiceEndpoint {
      // The control socket listens also while the radio is off. Only bridge has one.
      if let control = try? SocketPath(path + ".control"), let socket = try? UnixSocket.connect(to: control) {
        return socket
      }
      return try UnixSocket.connect(to: SocketPath(path))
    }
  }

  /// What `BRIDGE_SOCKET` says, else the path that is compiled into ImpossiBLE.
  package static var standard: ServiceEndpoint {
    socket(at: ProcessInfo.processInfo.environment["BRIDGE_SOCKET"] ?? "/tmp/impossible.sock")
  }

  private static let chosen = Lock<ServiceEndpoint?>(nil)

  /// The endpoint of managers made from now on; nil gives back the standard one. For emulation in the app's process.
  package static func use(_ endpoint: ServiceEndpoint?) { chosen.withLock { $0 = endpoint } }

  package static var current: ServiceEndpoint { chosen.withLock { $0 } ?? standard }
}
