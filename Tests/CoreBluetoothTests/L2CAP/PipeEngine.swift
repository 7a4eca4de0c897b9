import BridgeIO
import BridgeProtocol
import CoreBluetooth

/// An engine that keeps what it is told, for a pipe under test.
final class PipeEngine: Sendable {
  struct Record {
    var sent: [UInt8] = []
    var pauses: [Bool] = []
    var closes = 0
  }

  private let lock = Lock(Record())

  var record: Record { lock.withLock { $0 } }

  func makePipe() -> L2CAPPipe {
    L2CAPPipe(
      L2CAPPipe.Engine(
        send: { bytes in self.lock.withLock { $0.sent += bytes } },
        setReadingPaused: { paused in self.lock.withLock { $0.pauses.append(paused) } },
        close: { self.lock.withLock { $0.closes += 1 } }))
  }

  func makeChannel(_ pipe: L2CAPPipe) -> CBL2CAPChannel {
    CBL2CAPChannel(peer: CBCentral(identifier: UUID(), maximumUpdateValueLength: 20), psm: 192, pipe: pipe)
  }
}

extension InputStream {
  /// Reads once.
  func readBytes(_ limit: Int = 1 << 16) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = read(&buffer, maxLength: limit)
    return count < 0 ? nil : Array(buffer[..<count])
  }
}
