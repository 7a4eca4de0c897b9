import Foundation

/// Where an app reads what a channel's peer sends.
///
/// Events come on the run loops on which the stream is scheduled. Without any, from any thread: `hasBytesAvailable` tells
/// whether `read` returns at once, else it waits.
final class L2CAPInputStream: InputStream {
  private let pipe: L2CAPPipe
  private var core: StreamCore!

  init(_ pipe: L2CAPPipe) {
    self.pipe = pipe
    super.init(data: Data())
    core = StreamCore(self, .hasBytesAvailable, isReady: { pipe.hasBytes }, peerEnd: { pipe.end })
    let schedule = core.schedule
    pipe.listen(input: { [weak schedule] in schedule?.signal() })
  }

  override var delegate: (any StreamDelegate)? {
    get { core.state[\.delegate] }
    set { core.state[\.delegate] = newValue }
  }

  override func open() { _ = core.open() }

  override func close() {
    core.close()
    pipe.closeInput()
  }

  override var streamStatus: Stream.Status { core.status }

  override var streamError: (any Error)? { core.error }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    core.schedule.add(to: aRunLoop, mode: mode)
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    core.schedule.remove(from: aRunLoop, mode: mode)
  }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    guard core.isOpen else { return core.status == .atEnd ? 0 : -1 }
    let count = pipe.read(into: UnsafeMutableBufferPointer(start: buffer, count: max(0, len)))
    core.used()
    return count
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override var hasBytesAvailable: Bool { core.isOpen && pipe.hasBytes }
}
