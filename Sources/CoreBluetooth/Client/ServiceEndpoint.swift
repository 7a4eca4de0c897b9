package import BridgeIO
package import BridgeProtocol
import Foundation

/// Where a manager finds its service.
package struct ServiceEndpoint: Sendable {
  package typealias Ending = @BridgeQueue (PeripheralIdentifier) -> EmulatedEnding

  /// Makes a connected, non-blocking socket. Called off the bridge queue, because it may block.
  let connect: @Sendable () throws -> FileDescriptor
  private let ending: Ending?
  private let rules: @Sendable () -> PeripheralRules
  private let writeDepth: @Sendable () -> Int
  /// Names the device that a new manager is on; nil for the process.
  private var deviceName: @Sendable () -> String? = { nil }
  /// Whether it is the one in use, whichever that is at the time.
  let isCurrent: Bool

  /// - Parameters:
  ///   - ending: what emulation adds to the end of connections that the app cancels.
  ///   - rules: those of peripheral managers, asked for each when it is made.
  ///   - writeDepth: how many writes without response may be on their way, asked for each connection.
  package init(
    ending: Ending? = nil, rules: @escaping @Sendable () -> PeripheralRules = { PeripheralRules() },
    writeDepth: @escaping @Sendable () -> Int = { WriteWindow.standardSize },
    connect: @escaping @Sendable () throws -> FileDescriptor
  ) {
    self.init(isCurrent: false, ending: ending, rules: rules, writeDepth: writeDepth, connect: connect)
  }

  private init(
    isCurrent: Bool, ending: Ending?, rules: @escaping @Sendable () -> PeripheralRules,
    writeDepth: @escaping @Sendable () -> Int, connect: @escaping @Sendable () throws -> FileDescriptor
  ) {
    self.connect = connect
    self.writeDepth = writeDepth
    self.ending = ending
    self.rules = rules
    self.isCurrent = isCurrent
  }

  var device: String? { deviceName() }
  var peripheralRules: PeripheralRules { rules() }
  var writeQueueDepth: Int { writeDepth() }

  /// The same service, for managers on devices of their own: asked for each manager.
  package func on(device: @escaping @Sendable () -> String?) -> ServiceEndpoint {
    var endpoint = self
    endpoint.deviceName = device
    return endpoint
  }

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
    let given = ProcessInfo.processInfo.environment["BRIDGE_SOCKET"] ?? ""
    return socket(at: given.isEmpty ? "/tmp/impossible.sock" : given)
  }

  // MARK: The one in use

  private static let chosen = Lock<ServiceEndpoint?>(nil)

  /// Puts an endpoint to use for managers of the process, those included that are there already; nil gives back the
  /// standard one. For emulation in the app's process.
  package static func use(_ endpoint: ServiceEndpoint?) {
    chosen.withLock { $0 = endpoint }
    BridgeQueue.async { EndpointFollowers.endpointChanged() }
  }

  /// The one in use at the time of each connect.
  package static let current = ServiceEndpoint(
    isCurrent: true, ending: { inUse.ending?($0) ?? EmulatedEnding() }, rules: { inUse.peripheralRules },
    writeDepth: { inUse.writeQueueDepth }, connect: { try inUse.connect() }
  ).on { inUse.device }

  private static var inUse: ServiceEndpoint { chosen.withLock { $0 } ?? standard }

  @BridgeQueue
  func emulatedEnding(of peripheral: PeripheralIdentifier) -> EmulatedEnding {
    ending?(peripheral) ?? EmulatedEnding()
  }
}
