import BridgeIO
import BridgeProtocol

/// Takes the steps of a schedule at their times.
@BridgeQueue
final class ScheduleRunner<Step: ScheduleStep> {
  private let schedule: DeviceSchedule<Step>
  private let cost: Int
  private let take: @BridgeQueue (Step) -> Void
  private var index = 0
  private var due = ContinuousClock.now
  private var timer: QueueTimer?

  /// - Parameter cost: of a step, in values of sources.
  init(_ schedule: DeviceSchedule<Step>, cost: Int, take: @escaping @BridgeQueue (Step) -> Void) {
    self.schedule = schedule
    self.cost = cost
    self.take = take
  }

  /// From the beginning.
  func begin() {
    stop()
    index = 0
    due = .now
    wait()
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }

  private func wait() {
    if index == schedule.steps.count {
      guard schedule.repeats else { return }
      index = 0
    }
    guard index < schedule.steps.count else { return }
    let step = schedule.steps[index]
    // Times are those of the schedule, however late a step was; but a stopped machine is not caught up with.
    due = max(due + .seconds(step.after), .now - .seconds(1))
    timer = QueueTimer(after: due - .now) { [weak self] in self?.turn(step) }
  }

  private func turn(_ step: Step) {
    guard ScriptBudget.take(cost) else {
      timer = QueueTimer(after: ScriptBudget.pause) { [weak self] in self?.turn(step) }
      return
    }
    index += 1
    wait()
    take(step)
  }
}
