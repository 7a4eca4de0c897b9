import BridgeIO

/// What a test wants done with calls, instead of what bluetoothd does.
@BridgeQueue
final class FakeHooks {
  typealias Action = @BridgeQueue (FakeCall) -> FakeAction

  private struct Hook {
    var path: String?
    var timesLeft: Int?
    var action: Action
  }

  private var hooks: [String: [Hook]] = [:]

  func add(_ member: String, path: String?, times: Int?, action: @escaping Action) {
    hooks[member, default: []].append(Hook(path: path, timesLeft: times, action: action))
  }

  func removeAll() { hooks = [:] }

  /// The newest hook that concerns the call decides.
  func action(for call: FakeCall) -> FakeAction {
    guard !hooks.isEmpty, let candidates = hooks[call.member] else { return .perform }
    guard let index = candidates.lastIndex(where: { $0.path == nil || $0.path == call.path }) else { return .perform }
    let hook = candidates[index]
    if let left = hook.timesLeft {
      if left > 1 { hooks[call.member]?[index].timesLeft = left - 1 } else { hooks[call.member]?.remove(at: index) }
    }
    return hook.action(call)
  }

  func apply(to call: FakeCall) {
    switch action(for: call) {
    case .perform: call.perform()
    case .performAndLoseReply:
      call.repliesAreLost = true
      call.perform()
    case .performAndHoldReply:
      call.repliesAreHeld = true
      call.perform()
    case .reply(let values): call.finish(.success(values))
    case .fail(let error): call.fail(error)
    case .lose: call.lose()
    case .hold: break
    case .delay(let duration): QueueTimer(after: duration) { call.perform() }
    }
  }
}
