import BridgeIO
public import CoreBluetooth

/// How the simulation goes about it; may be set at any time.
open class FaketoothSettings: NSObject {
  private struct State {
    var delay = FaketoothDelaySettings.standard
    var queue = DispatchQueue.main
    var notificationInterval: TimeInterval? = 0.25
  }

  private static let state = Lock(State())

  /// How long operations take.
  open class var delay: FaketoothDelaySettings {
    get { state.withLock { $0.delay } }
    set {
      state.withLock { $0.delay = newValue }
      BridgeQueue.async { FaketoothWorld.shared.delaysChanged() }
    }
  }

  /// Where value producers and handlers are called, one at a time; the main queue unless set.
  open class var queue: DispatchQueue {
    get { state.withLock { $0.queue } }
    set { state.withLock { $0.queue = newValue } }
  }

  /// Seconds between the values that a subscribed characteristic with a producer sends; nil for none but those of
  /// `notifyDidUpdateValue(for:)`. Counts for subscriptions to come.
  open class var notificationInterval: TimeInterval? {
    get { state.withLock { $0.notificationInterval } }
    set { state.withLock { $0.notificationInterval = newValue } }
  }
}
