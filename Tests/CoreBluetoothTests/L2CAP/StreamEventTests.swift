import BridgeIO
import BridgeProtocol
import CoreBluetooth
import Testing

/// A channel's streams as apps use them: on a run loop, by waiting in a thread, and from a dispatch queue.
///
/// `nonisolated(unsafe)`: streams and channels are made for any thread, without being `Sendable`.
@Suite struct StreamEventTests {
  let engine = PipeEngine()

  /// Runs on a thread with a run loop of its own until `stop` is called there.
  private final class Reader: NSObject, StreamDelegate, @unchecked Sendable {
    let channel: CBL2CAPChannel
    let (events, continuation) = AsyncStream<Stream.Event>.makeStream()
    var bytes: [UInt8] = []
    var isDone = false
    var echoes = false

    init(_ channel: CBL2CAPChannel) { self.channel = channel }

    func stream(_ stream: Stream, handle event: Stream.Event) {
      if event == .hasBytesAvailable, let input = stream as? InputStream { bytes += input.readBytes(4) ?? [] }
      if event == .endEncountered || event == .errorOccurred { isDone = true }
      continuation.yield(event)
    }

    /// As apps do it: until a flag says otherwise.
    func run(_ stream: Stream) {
      nonisolated(unsafe) let stream = stream
      Thread.detachNewThread {
        stream.delegate = self
        stream.schedule(in: .current, forMode: .default)
        stream.open()
        while !self.isDone, RunLoop.current.run(mode: .default, before: .distantFuture) {}
        self.continuation.finish()
      }
    }
  }

  @Test func `events of a scheduled input stream come on its run loop, until the end`() async {
    let pipe = engine.makePipe()
    let reader = Reader(engine.makeChannel(pipe))
    reader.run(reader.channel.inputStream)
    var events = reader.events.makeAsyncIterator()
    #expect(await events.next() == .openCompleted)
    pipe.received([1, 2, 3, 4, 5, 6])
    #expect(await events.next() == .hasBytesAvailable)
    // Not all was read: told again.
    #expect(await events.next() == .hasBytesAvailable)
    pipe.closed(nil)
    #expect(await events.next() == .endEncountered)
    #expect(await events.next() == nil)
    #expect(reader.bytes == [1, 2, 3, 4, 5, 6])
  }

  @Test func `L2CAP-8 space is told at first, and again when there is some`() async {
    let pipe = engine.makePipe()
    let reader = Reader(engine.makeChannel(pipe))
    let output = reader.channel.outputStream!
    reader.run(output)
    var events = reader.events.makeAsyncIterator()
    #expect(await events.next() == .openCompleted)
    #expect(await events.next() == .hasSpaceAvailable)
    let much = [UInt8](repeating: 7, count: L2CAPPipe.sendWindow)
    #expect(output.write(much, maxLength: much.count) == much.count)
    #expect(!output.hasSpaceAvailable)
    pipe.sent(much.count)
    #expect(await events.next() == .hasSpaceAvailable)
    pipe.closed(.connectionTimeout)
    #expect(await events.next() == .errorOccurred)
    #expect(await events.next() == nil)
    #expect(output.streamStatus == .error)
  }

  @Test func `L2CAP-5 data is not lost when a stream is scheduled late`() async {
    let pipe = engine.makePipe()
    let reader = Reader(engine.makeChannel(pipe))
    pipe.received([9])
    pipe.closed(nil)
    reader.run(reader.channel.inputStream)
    var seen: [Stream.Event] = []
    for await event in reader.events { seen.append(event) }
    #expect(seen == [.openCompleted, .hasBytesAvailable, .endEncountered])
    #expect(reader.bytes == [9])
  }

  @Test func `a read in a thread waits for bytes, and a write for room`() async {
    let pipe = engine.makePipe()
    nonisolated(unsafe) let channel = engine.makeChannel(pipe)
    channel.inputStream.open()
    channel.outputStream.open()
    let read: [UInt8]? = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: channel.inputStream.readBytes()) }
      pipe.received([1, 2])
    }
    #expect(read == [1, 2])
    let much = [UInt8](repeating: 7, count: L2CAPPipe.sendWindow)
    _ = channel.outputStream.write(much, maxLength: much.count)
    let written: Int = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: channel.outputStream.write([1, 2, 3], maxLength: 3)) }
      pipe.sent(2)
    }
    #expect(written == 2)
    let end: [UInt8]? = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: channel.inputStream.readBytes()) }
      pipe.closed(nil)
    }
    #expect(end == [])
  }

  @Test func `streams can be used from a dispatch queue`() async {
    let pipe = engine.makePipe()
    nonisolated(unsafe) let channel = engine.makeChannel(pipe)
    let queue = DispatchQueue(label: "streams")
    pipe.received([5])
    let bytes: [UInt8]? = await withCheckedContinuation { continuation in
      queue.async {
        channel.inputStream.open()
        channel.outputStream.open()
        _ = channel.outputStream.write([6], maxLength: 1)
        continuation.resume(returning: channel.inputStream.hasBytesAvailable ? channel.inputStream.readBytes() : nil)
      }
    }
    #expect(bytes == [5] && engine.record.sent == [6])
  }

  @Test func `a stream taken off its run loop tells no more`() async {
    let pipe = engine.makePipe()
    let reader = Reader(engine.makeChannel(pipe))
    nonisolated(unsafe) let input = reader.channel.inputStream!
    let result: Bool = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        input.delegate = reader
        input.schedule(in: .current, forMode: .default)
        input.open()
        input.remove(from: .current, forMode: .default)
        pipe.received([1])
        // Nothing keeps the loop running.
        continuation.resume(returning: RunLoop.current.run(mode: .default, before: .distantFuture))
      }
    }
    #expect(!result && reader.bytes.isEmpty)
  }
}
