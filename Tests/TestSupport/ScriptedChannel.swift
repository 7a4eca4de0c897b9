public import BridgeIO
public import Radio

/// An L2CAP channel whose other end is the test.
@BridgeQueue
public final class ScriptedChannel: RadioL2CAPChannel {
  public let psm: UInt16
  public var onData: (@BridgeQueue ([UInt8]) -> Void)? { didSet { deliver() } }
  public var onClose: (@BridgeQueue () -> Void)?
  public var onDrain: (@BridgeQueue () -> Void)?
  public private(set) var sent: [UInt8] = []
  public private(set) var queuedBytes = 0
  public private(set) var isClosed = false
  public private(set) var isReadingPaused = false
  /// Whether bytes sent stay queued until `drain`.
  public var isStuck = false
  private var kept: [[UInt8]] = []

  public init(psm: UInt16) { self.psm = psm }

  public func send(_ bytes: [UInt8]) {
    sent += bytes
    if isStuck { queuedBytes += bytes.count }
  }

  public func drain() {
    isStuck = false
    queuedBytes = 0
    onDrain?()
  }

  public func setReadingPaused(_ paused: Bool) {
    isReadingPaused = paused
    deliver()
  }

  public func close() { isClosed = true }

  /// Bytes from the device.
  public func receive(_ bytes: [UInt8]) {
    kept.append(bytes)
    deliver()
  }

  public func closeByDevice() { onClose?() }

  private func deliver() {
    while let onData, !isReadingPaused, !kept.isEmpty { onData(kept.removeFirst()) }
  }
}
