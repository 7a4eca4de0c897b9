import BridgeProtocol

/// Keeps what a device notifies, and makes value sources of it.
struct NotificationRecorder {
  private struct Track {
    var uuid: BluetoothUUID
    var service: Int
    var characteristic: Int
    /// When the subscription stood.
    var start: ContinuousClock.Instant?
    var values: [(at: Duration, value: [UInt8])] = []
  }

  /// By the characteristic's id on the wire.
  private var tracks: [String: Track] = [:]
  /// In the order of the table.
  private(set) var subscribable: [String] = []
  private(set) var count = 0
  /// What a source may have.
  private static let limit = 100_000

  mutating func add(_ found: DiscoveredCharacteristic, service: Int, characteristic: Int) {
    guard !found.properties.isDisjoint(with: .subscribable) else { return }
    tracks[found.id] = Track(uuid: found.uuid, service: service, characteristic: characteristic)
    subscribable.append(found.id)
  }

  func uuid(of id: String) -> BluetoothUUID? { tracks[id]?.uuid }

  var isStarted: Bool { tracks.values.contains { $0.start != nil } }

  mutating func start(_ id: String) { tracks[id]?.start = .now }

  mutating func keep(_ update: DidUpdateValue) {
    guard let start = tracks[update.characteristicId]?.start, count < Self.limit else { return }
    count += 1
    tracks[update.characteristicId]!.values.append((.now - start, update.value))
  }

  /// Gives each characteristic that has notified a source that does so again.
  func put(into services: inout [MockService]) {
    for track in tracks.values where !track.values.isEmpty {
      let known = services[track.service].characteristics[track.characteristic].behavior
      services[track.service].characteristics[track.characteristic].behavior = CapturedBehavior.notifying(
        track.values, besides: known)
    }
  }
}

extension CharacteristicProperties {
  fileprivate static let subscribable: Self = [
    .notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired,
  ]
}
