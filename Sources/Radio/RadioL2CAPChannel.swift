public import BridgeIO

/// An open L2CAP channel: a byte stream each way, message borders not kept.
///
/// Bytes that arrive before `onData` is set, or while reading is paused, are kept. `onClose` is called once, after
/// the last `onData`, when the peer closes or the link ends; not after `close`.
@BridgeQueue
public protocol RadioL2CAPChannel: AnyObject {
  var psm: UInt16 { get }
  var onData: (@BridgeQueue ([UInt8]) -> Void)? { get set }
  var onClose: (@BridgeQueue () -> Void)? { get set }
  /// Called when `queuedBytes` falls to zero after it was not.
  var onDrain: (@BridgeQueue () -> Void)? { get set }
  /// Bytes accepted by `send` that the link has not yet taken.
  var queuedBytes: Int { get }
  func send(_ bytes: [UInt8])
  func setReadingPaused(_ paused: Bool)
  /// Closes at once; bytes still queued are sent first as far as the link allows within a second.
  func close()
}
