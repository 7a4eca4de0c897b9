package import BridgeProtocol
import Foundation

/// One channel's bytes between the app's streams and the engine, each way only as fast as the other side takes them.
///
/// `@unchecked Sendable` is sound: all that changes is touched with `condition` locked.
package final class L2CAPPipe: @unchecked Sendable {
  /// What the engine does for a channel. Called from any thread, in order; to return at once, and not to call back
  /// before that.
  package struct Engine: Sendable {
    let send: @Sendable ([UInt8]) -> Void
    let setReadingPaused: @Sendable (Bool) -> Void
    let close: @Sendable () -> Void

    /// - Parameters:
    ///   - send: sends bytes; `sent` is to be called when they have left.
    ///   - setReadingPaused: the peer shall send no more for now, or again. More may come all the same.
    ///   - close: called once, unless `closed` was called before.
    package init(
      send: @escaping @Sendable ([UInt8]) -> Void, setReadingPaused: @escaping @Sendable (Bool) -> Void,
      close: @escaping @Sendable () -> Void
    ) {
      self.send = send
      self.setReadingPaused = setReadingPaused
      self.close = close
    }
  }

  /// How the peer's side stands.
  enum Peer {
    case open
    case closed
    case lost(BluetoothError)
  }

  /// Bytes that wait for the app before the peer is asked to pause.
  package static let receiveWindow = 256 << 10
  /// Bytes on their way to the peer before the app must wait.
  package static let sendWindow = 64 << 10

  private let engine: Engine
  private let condition = NSCondition()
  private var incoming = ByteQueue()
  private var unsent = 0
  private var isPaused = false
  private var peer = Peer.open
  private var isInputClosed = false
  private var isOutputClosed = false
  private var isEngineClosed = false
  private var inputListener: (@Sendable () -> Void)?
  private var outputListener: (@Sendable () -> Void)?

  package init(_ engine: Engine) { self.engine = engine }

  private func locked<Result>(_ body: () -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    return body()
  }

  // MARK: For the engine

  /// Bytes from the peer.
  package func received(_ bytes: [UInt8]) {
    locked {
      guard !isInputClosed else { return }
      incoming.append(bytes)
      condition.broadcast()
      if incoming.count > Self.receiveWindow { setReadingPaused(true) }
    }
    tellInput()
  }

  /// So many of the bytes given to `send` are on their way to the peer.
  package func sent(_ count: Int) {
    locked {
      unsent -= count
      condition.broadcast()
    }
    tellOutput()
  }

  /// The peer has closed the channel, or the link is lost: then with an error.
  package func closed(_ error: BluetoothError?) {
    locked {
      isEngineClosed = true
      if case .open = peer { peer = error.map { .lost($0) } ?? .closed }
      condition.broadcast()
    }
    tellInput()
    tellOutput()
  }

  /// Closes the channel from our side.
  package func close() {
    closeInput()
    closeOutput()
  }

  // MARK: For the input stream

  var hasBytes: Bool { locked { incoming.count > 0 } }

  /// nil while there are bytes to read or more may come.
  var end: Peer? {
    locked {
      if case .open = peer { return nil }
      return incoming.count > 0 ? nil : peer
    }
  }

  /// Waits until there is something.
  ///
  /// - Returns: 0 at the end, -1 if the channel is lost or closed.
  func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    guard !buffer.isEmpty else { return 0 }
    return locked {
      while incoming.count == 0, !isInputClosed, isPeerOpen { condition.wait() }
      if isInputClosed { return -1 }
      if incoming.count == 0 {
        if case .lost = peer { return -1 }
        return 0
      }
      let count = incoming.read(into: buffer)
      if incoming.count <= Self.receiveWindow / 2 { setReadingPaused(false) }
      return count
    }
  }

  func closeInput() {
    locked {
      isInputClosed = true
      incoming.removeAll()
      // Who writes only must not stop the peer for ever.
      setReadingPaused(false)
      closeEngine()
      condition.broadcast()
    }
  }

  private func setReadingPaused(_ paused: Bool) {
    guard paused != isPaused, !isEngineClosed else { return }
    isPaused = paused
    engine.setReadingPaused(paused)
  }

  // MARK: For the output stream

  var hasSpace: Bool { locked { unsent < Self.sendWindow && isPeerOpen } }

  private var isPeerOpen: Bool {
    if case .open = peer { return true }
    return false
  }

  /// nil while the peer takes bytes.
  var failure: Peer? { locked { isPeerOpen ? nil : peer } }

  /// Waits until there is room.
  ///
  /// - Returns: how many bytes were taken; -1 if the peer takes no more.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard !bytes.isEmpty else { return 0 }
    return locked {
      while unsent >= Self.sendWindow, !isOutputClosed, isPeerOpen { condition.wait() }
      guard !isOutputClosed, isPeerOpen else { return -1 }
      let count = min(Self.sendWindow - unsent, bytes.count)
      unsent += count
      engine.send(Array(bytes[..<count]))
      return count
    }
  }

  func closeOutput() {
    locked {
      isOutputClosed = true
      closeEngine()
      condition.broadcast()
    }
  }

  private func closeEngine() {
    guard isInputClosed, isOutputClosed, !isEngineClosed else { return }
    isEngineClosed = true
    engine.close()
  }

  // MARK: Listeners

  func listen(input: @escaping @Sendable () -> Void) { locked { inputListener = input } }

  func listen(output: @escaping @Sendable () -> Void) { locked { outputListener = output } }

  private func tellInput() { locked { inputListener }?() }

  private func tellOutput() { locked { outputListener }?() }
}
