import CoreBluetooth
import EmulationTestSupport

extension CentralSuite {
  static let channelChecks = [
    SuiteCheck("L2CAP-1 L2CAP-4 L2CAP-8 L2CAP-9 a channel carries bytes there and back") { suite in
      let peripheral = try await suite.connected()
      peripheral.openL2CAPChannel(SuiteLayout.echoPSM)
      let (opened, answer) = try await suite.channel()
      try answer.check()
      let channel = try need(opened, "channel")
      try expect(channel.peer === peripheral && channel.psm == SuiteLayout.echoPSM, "another channel")
      let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      try expect(try await suite.echo(bytes, over: channel) == bytes, "other bytes came back")
    },
    SuiteCheck("L2CAP-2 L2CAP-3 a channel that nobody takes fails") { suite in
      let peripheral = try await suite.connected()
      for psm in [SuiteLayout.closedPSM, 0x2349] {
        peripheral.openL2CAPChannel(psm)
        let (channel, answer) = try await suite.channel()
        try expect(channel == nil && answer.error is CBError, "PSM \(psm): \(String(describing: answer.error))")
      }
    },
  ]
}

extension SuiteApp {
  fileprivate func channel() async throws -> (CBL2CAPChannel?, Answer) {
    try await app.inbox.first("channel") {
      if case .channel(let channel, let error) = $0 { (channel, Answer(error)) } else { nil }
    }
  }

  /// What comes back of what is sent. The streams' calls block, so they have threads of their own.
  fileprivate func echo(_ bytes: [UInt8], over channel: CBL2CAPChannel) async throws -> [UInt8] {
    let streams = Streams(input: channel.inputStream, output: channel.outputStream)
    streams.input.open()
    streams.output.open()
    Thread.detachNewThread {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          streams.output.write($0.bindMemory(to: UInt8.self).baseAddress!, maxLength: $0.count)
        }
        guard count > 0 else { return }
        sent += count
      }
    }
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: streams.read(bytes.count)) }
    }
  }
}

/// Both streams of a channel.
///
/// `@unchecked Sendable` is sound: each is used by one thread.
private struct Streams: @unchecked Sendable {
  let input: InputStream
  let output: OutputStream

  /// As many bytes, or fewer if the channel ends; closes it.
  func read(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < count {
      let length = input.read(&buffer, maxLength: buffer.count)
      guard length > 0 else { break }
      bytes += buffer[..<length]
    }
    input.close()
    output.close()
    return bytes
  }
}
