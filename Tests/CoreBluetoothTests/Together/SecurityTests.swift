import BridgeProtocol
import CoreBluetooth
import EmulationTestSupport
import MockBackend
import Testing

/// What needs an encrypted link, as an app in the central role meets it.
@Suite struct SecurityTests {
  private func options(_ mode: MockPairing, after duration: Duration = .zero) -> VirtualHostedWorld.Options {
    var options = VirtualHostedWorld.Options()
    options.pairing.mode = mode == .works ? .justWorks : .none
    options.pairing.duration = duration
    return options
  }

  private enum MockPairing { case works, fails }

  private static var guarded: [CBMutableCharacteristic] {
    [
      CBMutableCharacteristic(
        type: CBUUID(string: "FFF1"), properties: .write, value: nil, permissions: .writeEncryptionRequired),
      CBMutableCharacteristic(
        type: CBUUID(string: "FFF2"), properties: .notifyEncryptionRequired, value: nil, permissions: .readable),
    ]
  }

  @Test("PAIR-1, GATT-29: The system pairs by itself and repeats the access: the app sees the result alone")
  func pair1() async throws {
    let service = try await TogetherService(options(.works, after: .milliseconds(20)))
    let (central, peripheral) = try await service.pair(with: Self.guarded)
    let (found, characteristics) = try await service.explored(central)
    try await central.setNotify(true, characteristics[3])
    #expect(characteristics[3].isNotifying)
    #expect(try await central.read(characteristics[1]) == Data("Hello".utf8))
    try await central.write(Data([1]), to: characteristics[2])
    #expect(peripheral.value == Data([1]))
    #expect(found.state == .connected)
    await service.stop()
  }

  @Test("PAIR-2: Where pairing fails the operation's own callback says so")
  func pair2() async throws {
    let service = try await TogetherService(options(.fails))
    let (central, peripheral) = try await service.pair(with: Self.guarded)
    let (found, characteristics) = try await service.explored(central)
    for error in [
      await failure(of: { try await central.read(characteristics[1]) }),
      await failure(of: { try await central.write(Data([1]), to: characteristics[2]) }),
      await failure(of: {
        found.setNotifyValue(true, for: characteristics[3])
        try await central.inbox.first("notification state") {
          if case .notification(_, false, let error) = $0 { Answer(error) } else { nil }
        }.check()
      }),
    ] { #expect((error as? CBATTError)?.code == .insufficientEncryption) }
    #expect(!characteristics[3].isNotifying)
    await service.stop()
    withExtendedLifetime(peripheral) {}
  }

  @Test("DISC-14: What is guarded is discovered without pairing")
  func disc14() async throws {
    let service = try await TogetherService(options(.fails))
    let (central, peripheral) = try await service.pair(with: Self.guarded)
    let (_, characteristics) = try await service.explored(central)
    #expect(characteristics.map(\.uuid.uuidString) == ["5678", "9ABC", "FFF1", "FFF2"])
    #expect(try await central.descriptors(of: characteristics[3]).map(\.uuid.uuidString) == ["2902"])
    await service.stop()
    withExtendedLifetime(peripheral) {}
  }
}
