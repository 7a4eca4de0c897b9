import BridgeIO
import BridgeProtocol

/// Requests of one client for one device that cannot be passed on yet: the attribute table is not known, or the device
/// takes no write without response now. Whatever is asked for behind them waits too, so the order is kept.
@BridgeQueue
final class WaitingRequests {
  /// Given the attribute table, or why there is none. Returns false if it has to wait for the device; it is called again.
  typealias Request = @BridgeQueue (Result<AttributeTable, BluetoothError>) -> Bool

  private unowned let connection: Connection
  private let limit: Int
  private var requests: [(run: Request, cost: Int)] = []
  private var next = 0
  private var cost = 0
  private var isReadingPaused = false
  private var wasDeviceFull = false

  /// - Parameter limit: bytes; past it the client is not read.
  init(of connection: Connection, limit: Int) {
    self.connection = connection
    self.limit = limit
  }

  var isEmpty: Bool { next == requests.count }

  /// Runs a request now if none waits and it need not; keeps it otherwise.
  ///
  /// - Parameter cost: bytes it holds.
  func submit(cost: Int = 64, _ run: @escaping Request) {
    let peripheral = connection.peripheral
    if isEmpty, let table = peripheral.table {
      if run(.success(table)) { return }
      wasDeviceFull = true
    }
    requests.append((run, cost))
    self.cost += cost
    if peripheral.table == nil { peripheral.requestTable() }
    guard self.cost > limit, !isReadingPaused else { return }
    isReadingPaused = true
    connection.session.channel.pauseReading()
  }

  /// Runs what can run now.
  ///
  /// - Returns: true when the device had been full, and nothing waits any more.
  func drain(_ table: Result<AttributeTable, BluetoothError>) -> Bool {
    while next < requests.count {
      guard requests[next].run(table) else {
        wasDeviceFull = true
        if cost <= limit / 2 { resumeReading() }
        return false
      }
      // A request may end the connection, and with it the queue.
      guard next < requests.count else { return false }
      cost -= requests[next].cost
      next += 1
    }
    drop()
    defer { wasDeviceFull = false }
    return wasDeviceFull
  }

  func drop() {
    requests.removeAll()
    next = 0
    cost = 0
    resumeReading()
  }

  private func resumeReading() {
    guard isReadingPaused else { return }
    isReadingPaused = false
    connection.session.channel.resumeReading()
  }
}
