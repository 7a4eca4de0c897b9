import BridgeIO
internal import CDBus

/// libdbus' watches on the event loop.
///
/// A connection has one socket and two watches on it, for reading and writing, that libdbus switches on and off
/// several times a message. They share one `DescriptorWatch`, set once at the end of a turn, so switching costs no
/// system call.
@BridgeQueue
final class WatchSource {
  private var watches: [OpaquePointer] = []
  private var source: DescriptorWatch?
  private var isStale = false
  /// libdbus is reading or writing; `onActivity` follows.
  private(set) var isHandling = false
  /// Told after libdbus has read or written.
  var onActivity: @BridgeQueue () -> Void = {}

  /// libdbus holds a reference to the source until it lets go of the callbacks, at the latest when the connection is
  /// finalised: so none of them can meet a source that is gone.
  func attach(to connection: OpaquePointer) {
    let done = dbus_connection_set_watch_functions(
      connection, watchAdded, watchRemoved, watchToggled, Unmanaged.passRetained(self).toOpaque(), watchReleased)
    precondition(done != 0, "no memory for a D-Bus connection")
  }

  // MARK: From libdbus

  fileprivate func add(_ watch: OpaquePointer) {
    watches.append(watch)
    refresh()
  }

  /// libdbus closes the socket only after it has removed the watches; the loop must not know it by then.
  fileprivate func remove(_ watch: OpaquePointer) {
    watches.removeAll { $0 == watch }
    if watches.isEmpty {
      source?.cancel()
      source = nil
    } else {
      refresh()
    }
  }

  fileprivate func refresh() {
    guard !isStale else { return }
    isStale = true
    BridgeQueue.atEndOfTurn {
      self.isStale = false
      self.apply()
    }
  }

  // MARK: To the loop

  private func apply() {
    guard let first = watches.first else { return }
    var interest: Interest = []
    for watch in watches where dbus_watch_get_enabled(watch) != 0 { interest.formUnion(self.interest(of: watch)) }
    if let source {
      source.interest = interest
    } else {
      source = DescriptorWatch(dbus_watch_get_unix_fd(first), for: interest) { [unowned self] in handle($0) }
    }
  }

  private func interest(of watch: OpaquePointer) -> Interest {
    let flags = dbus_watch_get_flags(watch)
    var interest: Interest = []
    if flags & DBUS_WATCH_READABLE.rawValue != 0 { interest.insert(.reading) }
    if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { interest.insert(.writing) }
    return interest
  }

  /// The end of the connection is told even to a watch that is off: the loop would report it for ever.
  private func handle(_ readiness: Readiness) {
    let ended = !readiness.isDisjoint(with: [.hangUp, .error])
    isHandling = true
    for watch in watches where watches.contains(watch) {
      guard ended || dbus_watch_get_enabled(watch) != 0 else { continue }
      let flags = readiness.flags & (dbus_watch_get_flags(watch) | Readiness([.hangUp, .error]).flags)
      if flags != 0 { dbus_watch_handle(watch, flags) }
    }
    isHandling = false
    onActivity()
  }
}

extension Readiness {
  fileprivate var flags: UInt32 {
    (contains(.reading) ? DBUS_WATCH_READABLE.rawValue : 0) | (contains(.writing) ? DBUS_WATCH_WRITABLE.rawValue : 0)
      | (contains(.hangUp) ? DBUS_WATCH_HANGUP.rawValue : 0) | (contains(.error) ? DBUS_WATCH_ERROR.rawValue : 0)
  }
}

// MARK: Callbacks

// libdbus calls them from within our calls to it, which are all on the bridge queue; the pointers are not shared.

private func onQueue(
  _ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ body: @BridgeQueue (WatchSource, OpaquePointer) -> Void
) {
  guard let watch, let data else { return }
  let source = Unmanaged<WatchSource>.fromOpaque(data).takeUnretainedValue()
  nonisolated(unsafe) let handle = watch
  BridgeQueue.assumeIsolated { body(source, handle) }
}

private let watchAdded: DBusAddWatchFunction = { watch, data in
  onQueue(watch, data) { $0.add($1) }
  return 1
}
private let watchRemoved: DBusRemoveWatchFunction = { watch, data in onQueue(watch, data) { $0.remove($1) } }
private let watchToggled: DBusWatchToggledFunction = { watch, data in
  onQueue(watch, data) { source, _ in source.refresh() }
}
private let watchReleased: DBusFreeFunction = { data in
  if let data { Unmanaged<WatchSource>.fromOpaque(data).release() }
}
