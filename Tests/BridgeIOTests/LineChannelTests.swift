import BridgeIO
import Glibc
import TestSupport
import Testing

@Suite @BridgeQueue struct LineChannelTests {
  private let channel: LineChannel
  private let peer: CInt
  private static var limits: LineChannel.Limits {
    var limits = LineChannel.Limits()
    limits.line = 1 << 10
    limits.output = 4 << 20
    limits.closingTime = .seconds(60)
    return limits
  }

  init() throws {
    var pair = try UnixSocket.pair()
    let other = FileDescriptor(owning: dup(pair.second.number))
    peer = other.take()
    channel = LineChannel(FileDescriptor(owning: dup(pair.first.number)), limits: Self.limits)
    pair.first = FileDescriptor(owning: open("/dev/null", O_RDONLY))
  }

  private func end() {
    channel.close()
    close(peer)
  }

  private func write(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { Glibc.write(peer, $0.baseAddress, $0.count) }
  }

  /// What the peer can read now.
  private func read() -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = Glibc.read(peer, &chunk, chunk.count), count > 0 { bytes += chunk.prefix(count) }
    return bytes
  }

  private func fill(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "x"), count: count - 1) + [10] }

  @Test func linesArriveInOrderAndThenTheEnd() async {
    var lines: [String] = []
    channel.onLine = { lines.append(String(decoding: $0, as: UTF8.self)) }
    let reason = await result { done in
      channel.onEnd = done
      write("one\ntwo\nthree without end")
      shutdown(peer, CInt(SHUT_WR))
    }
    #expect(lines == ["one", "two"])
    #expect(reason == .endOfFile)
    #expect(!channel.isOpen)
    end()
  }

  @Test func aLinePastTheLimitEndsTheChannel() async {
    let reason = await result { done in
      channel.onEnd = done
      write(String(repeating: "x", count: 1025))
    }
    #expect(reason == .lineTooLong(LineTooLong(limit: 1024)))
    end()
  }

  @Test func whatATurnSendsIsOneWrite() async {
    for number in 0..<3 { channel.send(Array("\(number)\n".utf8)) }
    #expect(read().isEmpty)
    await turns()
    #expect(String(decoding: read(), as: UTF8.self) == "0\n1\n2\n")
    end()
  }

  @Test func pausedReadingKeepsLinesForLater() async {
    var lines: [String] = []
    channel.onLine = { line in
      lines.append(String(decoding: line, as: UTF8.self))
      if lines.count == 1 { channel.pauseReading() }
    }
    write("one\ntwo\n")
    await turns()
    write("three\n")
    await turns()
    #expect(lines == ["one"])
    channel.resumeReading()
    #expect(lines == ["one"])
    #expect(await eventually { lines == ["one", "two", "three"] })
    end()
  }

  @Test func aPeerThatDiesWhileReadingIsPausedIsNoticed() async {
    channel.pauseReading()
    let reason = await result { done in
      channel.onEnd = done
      shutdown(peer, CInt(SHUT_RDWR))
    }
    #expect(reason == .endOfFile)
    end()
  }

  @Test func repliesWaitForASlowReaderInOrder() async {
    let line = fill(1000)
    for _ in 0..<2000 { channel.send(line) }
    await turns()
    #expect(channel.isCongested)
    var received: [UInt8] = []
    #expect(
      await eventually {
        received += read()
        return received.count == 2_000_000
      })
    #expect(received.count { $0 == 10 } == 2000)
    #expect(!channel.isCongested)
    end()
  }

  @Test func aReaderPastTheBoundIsGivenUp() async {
    let line = fill(1 << 20)
    let reason = await result { done in
      channel.onEnd = done
      for _ in 0..<5 { channel.send(line) }
    }
    #expect(reason == .outputFull(limit: 4 << 20))
    end()
  }

  @Test func ofReplaceableLinesASlowReaderGetsTheLatestOfEachKey() async {
    channel.send(fill(1 << 20))
    await turns()
    var written = 0
    for number in 0..<1000 {
      for key in 0..<2 {
        channel.sendReplaceable(.init(high: 0, low: UInt64(key))) {
          written += 1
          $0 += Array("\(key):\(number)\n".utf8)
        }
      }
    }
    channel.send(Array("reply\n".utf8))
    var received: [UInt8] = []
    var drained = false
    channel.onDrain = { drained = true }
    #expect(
      await eventually {
        received += read()
        return received.count >= (1 << 20) + 18
      })
    let rest = String(decoding: received[(1 << 20)...], as: UTF8.self)
    #expect(rest == "reply\n0:999\n1:999\n")
    #expect(written == 2)
    #expect(drained)
    end()
  }

  @Test func congestionThatOneWriteEndsIsReportedToo() async {
    // Blocked with less than the mark left, then past the mark while blocked.
    var unread = 0
    repeat {
      channel.send(fill(32 << 10))
      unread += 32 << 10
      await turns()
    } while channel.queuedBytes == 0
    channel.send(fill(64 << 10))
    #expect(channel.isCongested)
    var drained = false
    channel.onDrain = { drained = true }
    var received: [UInt8] = []
    #expect(
      await eventually {
        received += read()
        return received.count == unread + (64 << 10)
      })
    #expect(await eventually { drained })
    end()
  }

  @Test func closingAfterTheFlushLosesNothing() async {
    channel.send(fill(1 << 20))
    channel.closeAfterFlush()
    var received: [UInt8] = []
    #expect(
      await eventually {
        received += read()
        return !channel.isOpen
      })
    received += read()
    #expect(received.count == 1 << 20)
    end()
  }

  @Test func aPeerThatHasGoneEndsTheChannelAtTheNextWrite() async {
    channel.pauseReading()
    let reason = await result { done in
      channel.onEnd = done
      shutdown(peer, CInt(SHUT_RD))
      channel.send(Array("x\n".utf8))
    }
    #expect(reason == .failed(SystemError(call: "send", errno: EPIPE)))
    end()
  }
}
