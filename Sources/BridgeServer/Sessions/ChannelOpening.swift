import BridgeIO
import BridgeProtocol
import Radio

/// An L2CAP channel on its way: opened once however often the client asks meanwhile, and given up after a time.
@BridgeQueue
final class ChannelOpening {
  let psm: UInt16
  /// A client asks again for the same.
  var requests: [ActivityEntry] = []
  private unowned let connection: Connection
  private var timer: QueueTimer?
  private var isDone = false

  init(psm: UInt16, connection: Connection) {
    self.psm = psm
    self.connection = connection
  }

  func start(limit: Duration) {
    timer = QueueTimer(after: limit) { [weak self] in
      self?.finish(.failure(BluetoothError.connectionTimeout.saying("Timeout opening L2CAP channel")), psm: self?.psm)
    }
    connection.peripheral.radio.openL2CAPChannel(psm: psm, to: connection.id) { [self] result in
      if isDone { try? result.get().close() } else { finish(result, psm: nil) }
    }
  }

  /// The connection ends before.
  func fail(_ error: BluetoothError) { finish(.failure(error), psm: psm) }

  /// - Parameter psm: told with a failure; a channel refused has none.
  private func finish(_ result: Result<any RadioL2CAPChannel, BluetoothError>, psm failedPSM: UInt16?) {
    guard !isDone else { return }
    isDone = true
    timer?.cancel()
    if connection.openings[psm] === self { connection.openings[psm] = nil }
    let session = connection.session
    var channelId = ""
    var error: BluetoothError?
    switch result {
    case .success(let channel): channelId = session.add(channel, psm: psm, connection).id
    case .failure(let reason): error = connection.state == .connected ? reason.unaskedFor : reason
    }
    for entry in requests {
      connection.finish(entry, error: error)
      session.send(
        .didOpenL2CAP(
          DidOpenL2CAP(
            id: connection.id, channelId: channelId, psm: Int(error == nil ? psm : failedPSM ?? 0), error: error)))
    }
    session.channels[channelId]?.start()
  }
}
