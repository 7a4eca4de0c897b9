import BridgeIO
import BridgeProtocol

/// When which device advertises: one wheel and one timer for all, turning while a scan wants every advertisement.
@BridgeQueue
final class Advertiser {
  private static let tick = Duration.milliseconds(20)
  private static let slotCount = 256
  /// How long a turn of the queue may take while devices wait to be reported, so that others get theirs.
  private static let patience = Duration.milliseconds(1)

  private let report: @BridgeQueue (VirtualDevice) -> Void
  /// Time to the next advertisement: of the device, and how often it has advertised in this scan.
  private let interval: @BridgeQueue (VirtualDevice) -> Duration
  private var slots: [[VirtualDevice]] = Array(repeating: [], count: slotCount)
  private var origin = ContinuousClock.now
  private var now = 0
  /// The tick of this moment, while a turn catches up with it.
  private var target = 0
  private var timer: QueueTimer?
  private var waiting = WaitingDevices()
  /// Devices reported in one turn, as many as those who listen allow.
  private var batchLength = 64
  private var lastBatch = ContinuousClock.now
  private var isBatchScheduled = false
  private(set) var repeats = false

  init(
    interval: @escaping @BridgeQueue (VirtualDevice) -> Duration, report: @escaping @BridgeQueue (VirtualDevice) -> Void
  ) {
    self.interval = interval
    self.report = report
  }

  /// Reports all soon, then each at its interval if `repeats`; in step only if wanted.
  func start(_ devices: [VirtualDevice], repeats: Bool, inStep: Bool = false) {
    for device in devices { waiting.append(device) }
    reportBatch()
    // Another scan changes nothing for those that have their times already.
    if self.repeats && repeats && !inStep { return }
    stopWheel()
    self.repeats = repeats
    origin = .now
    now = 0
    target = 0
    guard repeats else { return }
    for device in devices { schedule(device, after: inStep ? interval(device) : firstInterval(of: device), since: 0) }
    arm()
  }

  func stop() {
    waiting.removeAll()
    stopWheel()
  }

  private func stopWheel() {
    timer?.cancel()
    timer = nil
    repeats = false
    for index in slots.indices where !slots[index].isEmpty { slots[index] = [] }
  }

  /// Starts a device that is new, or whose interval has changed.
  func add(_ device: VirtualDevice) {
    schedule(device, after: interval(device), since: currentTick)
    arm()
  }

  func remove(_ device: VirtualDevice) {
    device.dueTick = -1
    device.isWaiting = false
  }

  /// Reports some of those that wait, and leaves the others to the turns that follow.
  private func reportBatch() {
    guard !isBatchScheduled else { return }
    for _ in 0..<batchLength {
      guard let device = waiting.popFirst() else { return }
      report(device)
    }
    guard !waiting.isEmpty else { return }
    isBatchScheduled = true
    lastBatch = .now
    BridgeQueue.async { [weak self] in
      guard let self else { return }
      isBatchScheduled = false
      let took = ContinuousClock.now - lastBatch
      batchLength = took > Self.patience ? max(batchLength / 2, 16) : min(batchLength * 2, 1024)
      reportBatch()
    }
  }

  // MARK: The wheel

  /// Devices do not advertise in step.
  private func firstInterval(of device: VirtualDevice) -> Duration {
    let whole = interval(device)
    let id = device.peripheral.id
    let share = Double((id.high ^ id.low &* 0x9E37_79B9_7F4A_7C15) >> 11) / Double(1 << 53)
    return whole * (0.5 + share / 2)
  }

  private func schedule(_ device: VirtualDevice, after interval: Duration, since tick: Int) {
    guard repeats else { return }
    // What is late already is missed.
    device.dueTick = max(tick + max(1, Int((interval / Self.tick).rounded())), target + 1)
    slots[device.dueTick % Self.slotCount].append(device)
  }

  private var currentTick: Int { max(now, Int((ContinuousClock.now - origin) / Self.tick)) }

  private func arm() {
    guard repeats, timer?.isPending != true else { return }
    guard let next = (1...Self.slotCount).first(where: { !slots[(now + $0) % Self.slotCount].isEmpty }) else { return }
    let delay = origin + Self.tick * (now + next) - .now
    timer = QueueTimer(after: max(.zero, delay)) { [weak self] in self?.turn() }
  }

  private func turn() {
    // After a long stop of the machine the missed advertisements are missed.
    target = currentTick
    now = max(now, target - Self.slotCount)
    while now < target {
      now += 1
      fire(slot: now % Self.slotCount)
    }
    reportBatch()
    arm()
  }

  private func fire(slot: Int) {
    guard !slots[slot].isEmpty else { return }
    let due = slots[slot]
    slots[slot] = []
    for device in due {
      // Scheduled anew meanwhile, or gone; or due in a later round of the wheel.
      guard device.dueTick >= 0, device.dueTick % Self.slotCount == slot else { continue }
      if device.dueTick > now {
        slots[slot].append(device)
      } else {
        // One that waits still from the last time has missed this one.
        waiting.append(device)
        schedule(device, after: interval(device), since: now)
      }
    }
  }
}
