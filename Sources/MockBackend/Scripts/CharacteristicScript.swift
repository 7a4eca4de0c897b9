import BridgeIO
import BridgeProtocol

/// What one characteristic does by itself.
@BridgeQueue
final class CharacteristicScript {
  /// Where it is in the configuration's device.
  struct Place: Hashable {
    var service: Int
    var characteristic: Int
  }

  let place: Place
  private let behavior: CharacteristicBehavior
  private unowned let device: DeviceScript
  private var source: SourceRunner?
  private var reads: ValueGenerator?
  private var reading: CommandReading?
  private let name: String
  /// Settings of replies that wait for their time.
  private var replies: [Int: QueueTimer] = [:]
  private var replyCount = 0

  init(_ behavior: CharacteristicBehavior, at place: Place, of device: DeviceScript, name: String) {
    self.behavior = behavior
    self.place = place
    self.device = device
    self.name = name
    let number = UInt64(place.service) << 16 | UInt64(place.characteristic)
    if let source = behavior.source {
      self.source = SourceRunner(source, random: device.random(number << 1), folder: device.folder, name: name) {
        [unowned self] in give($0)
      }
    }
    if let read = behavior.read { reads = ValueGenerator(read, random: device.random(number << 1 | 1)) }
  }

  // MARK: Values that come by themselves

  func begin(_ time: ValueSource.Time) { if behavior.source?.time == time { source?.begin() } }

  func end(_ time: ValueSource.Time) { if behavior.source?.time == time { source?.stop() } }

  func stop() {
    source?.stop()
    reading?.cancel()
    for timer in replies.values { timer.cancel() }
    device.pendingReplies -= replies.count
    replies = [:]
  }

  func resume() { source?.resume() }

  /// - Returns: false if there is no room.
  private func give(_ value: [UInt8]) -> Bool {
    // While its service is hidden, values go by.
    guard let peripheral = device.peripheral, let attribute = device.attribute(at: place) else { return true }
    guard peripheral.notify(value, attribute) else { return false }
    peripheral.setValue(value, of: attribute)
    return true
  }

  // MARK: Reads and writes

  /// Whether a read gives another value than what was set.
  var computesReads: Bool { behavior.read != nil }

  /// The value of a read, at once but for a command's.
  func computeRead(completion: @escaping @BridgeQueue (Result<[UInt8], BluetoothError>) -> Void) {
    guard let read = behavior.read, case .command(let program) = read.kind else {
      return completion(.success(reads?.nextValue() ?? []))
    }
    // A read that was given up, because its link is gone, leaves no program behind.
    reading?.cancel()
    reading = CommandReading(program, read.encoding, folder: device.folder, name: name, completion: completion)
  }

  func reply(to value: [UInt8]) -> WriteReply? { behavior.replies.first { $0.matches(value) } }

  /// Does what follows a write.
  func follow(_ reply: WriteReply, written: [UInt8]) {
    for setting in reply.settings {
      let value = setting.value ?? written
      if setting.delay > 0 { setLater(setting, to: value) } else { set(setting, to: value) }
    }
  }

  private func set(_ setting: WriteReply.Setting, to value: [UInt8]) {
    guard let peripheral = device.peripheral, let attribute = device.target(of: setting, from: place) else { return }
    peripheral.setValue(value, of: attribute)
    if setting.notifies, !peripheral.notify(value, attribute) { notify(value, setting) }
  }

  private func setLater(_ setting: WriteReply.Setting, to value: [UInt8]) {
    after(.seconds(setting.delay)) { [weak self] in self?.set(setting, to: value) }
  }

  /// When there is room.
  private func notify(_ value: [UInt8], _ setting: WriteReply.Setting) {
    after(.milliseconds(5)) { [weak self] in
      guard let self, let peripheral = device.peripheral, let attribute = device.target(of: setting, from: place)
      else { return }
      if !peripheral.notify(value, attribute) { notify(value, setting) }
    }
  }

  /// Past the device's limit, what a reply does later it does not do.
  private func after(_ delay: Duration, _ body: @escaping @BridgeQueue () -> Void) {
    guard device.pendingReplies < DeviceScript.pendingReplyLimit else { return }
    device.pendingReplies += 1
    replyCount += 1
    let number = replyCount
    replies[number] = QueueTimer(after: delay) { [weak self] in
      guard let self, replies.removeValue(forKey: number) != nil else { return }
      device.pendingReplies -= 1
      body()
    }
  }
}
