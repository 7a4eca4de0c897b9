internal import CLinux

/// What a watched descriptor is waited for.
public struct Interest: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let reading = Interest(rawValue: 1)
  public static let writing = Interest(rawValue: 2)

  var events: UInt32 {
    (contains(.reading) ? EPOLLIN.rawValue : 0) | (contains(.writing) ? EPOLLOUT.rawValue : 0)
  }
}

/// What a watched descriptor can do now. `hangUp` and `error` come unasked.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let reading = Readiness(rawValue: 1)
  public static let writing = Readiness(rawValue: 2)
  public static let hangUp = Readiness(rawValue: 4)
  public static let error = Readiness(rawValue: 8)

  init(events: UInt32) {
    self = []
    if events & EPOLLIN.rawValue != 0 { insert(.reading) }
    if events & EPOLLOUT.rawValue != 0 { insert(.writing) }
    if events & EPOLLHUP.rawValue != 0 { insert(.hangUp) }
    if events & EPOLLERR.rawValue != 0 { insert(.error) }
  }
}

/// Waits for one descriptor on the bridge queue until cancelled; level-triggered.
///
/// One watch per descriptor. Cancel before the descriptor is closed; a cancelled watch calls nobody, not even for
/// an event that was already waiting. The watch is kept alive until then.
@BridgeQueue
public final class DescriptorWatch {
  let descriptor: CInt
  /// Let go of by `cancel`: it usually has the watch's owner, who has the watch.
  private(set) var handler: (@BridgeQueue (Readiness) -> Void)?
  private(set) var token: UInt64 = 0
  private var isActive = true

  /// Setting it to `[]` still reports hang-up and errors; cancel to be rid of those.
  public var interest: Interest {
    didSet { if isActive && interest != oldValue { Reactor.shared.update(self) } }
  }

  public init(_ descriptor: CInt, for interest: Interest, handler: @escaping @BridgeQueue (Readiness) -> Void) {
    self.descriptor = descriptor
    self.interest = interest
    self.handler = handler
    token = Reactor.shared.add(self)
  }

  public func cancel() {
    guard isActive else { return }
    isActive = false
    Reactor.shared.remove(self)
    handler = nil
  }
}
