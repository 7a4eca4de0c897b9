@preconcurrency import CoreBluetooth

/// Messages over a channel, a line each.
@MainActor
final class LongMessages: NSObject {
  private let channel: CBL2CAPChannel
  private let isHeard: (String) -> Void
  private var received = Data()
  private var unsent = Data()

  init(over channel: CBL2CAPChannel, isHeard: @escaping (String) -> Void) {
    self.channel = channel
    self.isHeard = isHeard
    super.init()
    for stream in [channel.inputStream as Stream, channel.outputStream as Stream] {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  func send(_ message: String) {
    unsent += Data("\(message)\n".utf8)
    write()
  }

  private func write() {
    while !unsent.isEmpty, channel.outputStream.hasSpaceAvailable {
      let count = unsent.withUnsafeBytes {
        channel.outputStream.write($0.bindMemory(to: UInt8.self).baseAddress!, maxLength: $0.count)
      }
      guard count > 0 else { return }
      unsent = Data(unsent.dropFirst(count))
    }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
    guard count > 0 else { return }
    received += buffer.prefix(count)
    while let end = received.firstIndex(of: 0x0A) {
      isHeard(String(decoding: received[..<end], as: UTF8.self))
      received = Data(received[(end + 1)...])
    }
  }
}

extension LongMessages: @preconcurrency StreamDelegate {
  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    switch eventCode {
    case .hasBytesAvailable: read()
    case .hasSpaceAvailable: write()
    case .endEncountered, .errorOccurred: aStream.close()
    default: break
    }
  }
}
