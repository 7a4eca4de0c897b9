import BridgeProtocol
import CoreBluetooth
import Testing

/// A channel's streams without run loops.
@Suite struct CBL2CAPChannelTests {
  let engine = PipeEngine()

  @Test func `L2CAP-4 streams come unopened, and what came before is kept`() {
    let pipe = engine.makePipe()
    let channel = engine.makeChannel(pipe)
    pipe.received([1, 2, 3])
    let input = channel.inputStream!
    #expect(input.streamStatus == .notOpen && channel.outputStream.streamStatus == .notOpen)
    #expect(!input.hasBytesAvailable && input.readBytes() == nil)
    input.open()
    #expect(input.streamStatus == .open && input.hasBytesAvailable)
    #expect(input.readBytes() == [1, 2, 3])
    #expect(!input.hasBytesAvailable)
  }

  @Test func `L2CAP-5 a channel that nobody keeps is closed`() {
    let pipe = engine.makePipe()
    do {
      let channel = engine.makeChannel(pipe)
      channel.inputStream.open()
    }
    #expect(engine.record.closes == 1)
  }

  @Test func `L2CAP-6 the peer's close is an end behind the bytes that came before`() {
    let pipe = engine.makePipe()
    let channel = engine.makeChannel(pipe)
    let (input, output) = (channel.inputStream!, channel.outputStream!)
    input.open()
    output.open()
    pipe.received([1, 2])
    pipe.closed(nil)
    #expect(input.streamStatus == .open)
    #expect(input.readBytes() == [1, 2])
    #expect(input.streamStatus == .atEnd && input.readBytes() == [])
    #expect(output.streamStatus == .error && output.write([1], maxLength: 1) == -1 && output.streamError != nil)
  }

  @Test func `L2CAP-6 a lost link is an error of both streams`() {
    let pipe = engine.makePipe()
    let channel = engine.makeChannel(pipe)
    let (input, output) = (channel.inputStream!, channel.outputStream!)
    input.open()
    output.open()
    pipe.closed(.peripheralDisconnected)
    #expect(input.streamStatus == .error && input.readBytes() == nil)
    #expect((input.streamError as? CBError)?.code == .peripheralDisconnected)
    #expect(output.streamStatus == .error && (output.streamError as? CBError)?.code == .peripheralDisconnected)
    #expect(engine.record.closes == 0)
  }

  @Test func `L2CAP-7 closing both streams closes the channel`() {
    let pipe = engine.makePipe()
    let channel = engine.makeChannel(pipe)
    channel.inputStream.open()
    channel.outputStream.open()
    channel.inputStream.close()
    #expect(engine.record.closes == 0)
    #expect(channel.outputStream.write([1, 2], maxLength: 2) == 2)
    channel.outputStream.close()
    channel.outputStream.close()
    #expect(engine.record.closes == 1 && engine.record.sent == [1, 2])
    #expect(channel.inputStream.streamStatus == .closed && channel.outputStream.streamStatus == .closed)
    withExtendedLifetime(channel) {}
  }

  @Test func `L2CAP-8 borders are not kept, and a write is cut to the room there is`() {
    let pipe = engine.makePipe()
    let channel = engine.makeChannel(pipe)
    let (input, output) = (channel.inputStream!, channel.outputStream!)
    input.open()
    output.open()
    pipe.received([1, 2, 3])
    pipe.received([4, 5])
    #expect(input.readBytes(2) == [1, 2])
    #expect(input.readBytes() == [3, 4, 5])
    let much = [UInt8](repeating: 7, count: L2CAPPipe.sendWindow + 10)
    #expect(output.write(much, maxLength: much.count) == L2CAPPipe.sendWindow)
    #expect(!output.hasSpaceAvailable)
    pipe.sent(100)
    #expect(output.hasSpaceAvailable)
    #expect(output.write(much, maxLength: much.count) == 100)
    withExtendedLifetime(channel) {}
  }

  @Test func `a peer is paused while the app does not read, and goes on then`() {
    let pipe = engine.makePipe()
    let channel = engine.makeChannel(pipe)
    let input = channel.inputStream!
    input.open()
    pipe.received([UInt8](repeating: 1, count: L2CAPPipe.receiveWindow))
    #expect(engine.record.pauses.isEmpty)
    pipe.received([2])
    #expect(engine.record.pauses == [true])
    _ = input.readBytes(10)
    #expect(engine.record.pauses == [true])
    _ = input.readBytes(L2CAPPipe.receiveWindow)
    #expect(engine.record.pauses == [true, false])
    withExtendedLifetime(channel) {}
  }

  @Test func `a reader that only waits does not stop the peer`() {
    let pipe = engine.makePipe()
    let channel = engine.makeChannel(pipe)
    pipe.received([UInt8](repeating: 1, count: L2CAPPipe.receiveWindow + 1))
    channel.inputStream.close()
    pipe.received([1])
    #expect(engine.record.pauses == [true, false])
    withExtendedLifetime(channel) {}
  }

  @Test func `L2CAP-9 the channel tells peer and PSM`() {
    let channel = engine.makeChannel(engine.makePipe())
    #expect(channel.peer is CBCentral && channel.psm == 192)
  }
}
