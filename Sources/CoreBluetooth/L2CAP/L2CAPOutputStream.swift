import Foundation

/// Where an app writes what a channel's peer shall get.
///
/// Events come on the run loops on which the stream is scheduled. Without any, from any thread: `hasSpaceAvailable` tells
/// whether `write` returns at once, else it waits. `write` may take less than it is given.
final class L2CAPOutputStream: OutputStream {
  private var pipe: L2CAPPipe!
  private var core: StreamCore!

  init(_ pipe: L2CAPPipe) {
    super.init(toMemory: ())
    self.pipe = pipe
    core = StreamCore(self, .hasSpaceAvailable, isReady: { pipe.hasSpace }, peerEnd: { pipe.failure })
    let schedule = core.schedule
    pipe.listen(output: { [weak schedule] in schedule?.signal() })
  }

  /// Required by the superclass; a stream without a channel takes nothing.
  required init(toMemory: ()) {
    super.init(toMemory: ())
    let pipe = L2CAPPipe(L2CAPPipe.Engine(send: { _ in }, setReadingPaused: { _ in }, close: {}))
    pipe.closed(nil)
    self.pipe = pipe
    core = StreamCore(self, .hasSpaceAvailable, isReady: { false }, peerEnd: { pipe.failure })
  }

  override var delegate: (any StreamDelegate)? {
    get { core.state[\.delegate] }
    set { core.state[\.delegate] = newValue }
  }

  override func open() { _ = core.open() }

  override func close() {
    core.close()
    pipe.closeOutput()
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

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    guard core.isOpen else { return -1 }
    let count = pipe.write(UnsafeBufferPointer(start: buffer, count: max(0, len)))
    core.used()
    return count
  }

  override var hasSpaceAvailable: Bool { core.isOpen && pipe.hasSpace }
}
