import BridgeIO
import BridgeProtocol

/// When which device advertises: one wheel and one timer for all, turning while a scan wants every advertisement.
@BridgeQueue
final class Advertiser {
  private static let tick = Duration.milliseconds(20)
  private static let slotCount = 256
  /// Devices reported in one turn at the start of a scan, so that others get theirs.
  private static let batchLength = 1000

  private let report: @BridgeQueue (VirtualDevice) -> Void
  /// Time to the next advertisement: of the device, and how often it has advertised in this scan.
  private let interval: @BridgeQueue (VirtualDevice) -> Duration
  private var slots: [[VirtualDevice]] = Array(repeating: [], count: slotCount)
  private var origin = ContinuousClock.now
  private var now = 0
  private var timer: QueueTimer?
  private var round: ArraySlice<VirtualDevice> = []
  private var isRoundScheduled = false
  private(set) var repeats = false

  init(
    interval: @escaping @BridgeQueue (VirtualDevice) -> Duration, report: @escaping @BridgeQueue (VirtualDevice) -> Void
  ) {
    self.interval = interval
    self.report = report
  }

  /// Reports all at once, then each at its interval if `repeats`; in step only if wanted.
  func start(_ devices: [VirtualDevice], repeats: Bool, inStep: Bool = false) {
    stop()
    self.repeats = repeats
    origin = .now
    now = 0
    round = devices[...]
    reportRound()
    for device in devices { schedule(device, after: inStep ? interval(device) : firstInterval(of: device)) }
    arm()
  }

  func stop() {
    timer?.cancel()
    timer = nil
    round = []
    repeats = false
    for index in slots.indices where !slots[index].isEmpty { slots[index] = [] }
  }

  /// Starts a device that is new, or whose interval has changed.
  func add(_ device: VirtualDevice) {
    schedule(device, after: interval(device))
    arm()
  }

  func remove(_ device: VirtualDevice) {
    device.dueTick = -1
    device.isRemoved = true
  }

  private func reportRound() {
    for device in round.prefix(Self.batchLength) where !device.isRemoved { report(device) }
    round = round.dropFirst(Self.batchLength)
    guard !round.isEmpty, !isRoundScheduled else { return }
    isRoundScheduled = true
    BridgeQueue.async { [weak self] in
      self?.isRoundScheduled = false
      self?.reportRound()
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

  private func schedule(_ device: VirtualDevice, after interval: Duration) {
    guard repeats else { return }
    device.dueTick = currentTick + max(1, Int((interval / Self.tick).rounded()))
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
    let target = currentTick
    now = max(now, target - Self.slotCount)
    while now < target {
      now += 1
      fire(slot: now % Self.slotCount)
    }
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
        report(device)
        schedule(device, after: interval(device))
      }
    }
  }
}
