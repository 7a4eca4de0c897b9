import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import TestSupport
import Testing

@Suite @BridgeQueue struct PairingTests {
  private func world(
    _ pairing: MockPairingMode, passkey: String = "428160", configure: (inout VirtualRadioOptions) -> Void = { _ in }
  ) async -> VirtualWorld {
    let world = VirtualWorld(.bench(pairing: pairing) { $0.passkey = passkey }, configure: configure)
    await world.connect(.bench)
    return world
  }

  @Test("PAIR-2: a device that cannot pair refuses what is secured, with what is lacking")
  func none() async {
    let world = await world(.none)
    #expect(await world.read(Bench.secret, .bench) == .failure(.attribute(0x0F)))
    #expect(await world.write([1], Bench.secret, .bench) == .attribute(0x0F))
    #expect(await world.read(Bench.vault, .bench) == .failure(.attribute(0x05)))
    #expect(await world.read(Bench.level, .bench) == .success([87]))
  }

  @Test("PAIR-1: just works pairs by itself and repeats the access, but does not authenticate")
  func justWorks() async {
    let world = await world(.justWorks)
    #expect(await world.read(Bench.secret, .bench) == .success([9]))
    #expect(await world.write([5], Bench.secret, .bench) == nil)
    #expect(await world.read(Bench.vault, .bench) == .failure(.attribute(0x05)))
  }

  @Test("PAIR-2: the right passkey opens everything, a wrong one or none gives ATT 5")
  func passkeys() async {
    let typist = Typist()
    let world = await world(.passkey)
    #expect(await world.read(Bench.secret, .bench) == .failure(.attribute(0x05)))
    world.radio.pairingDelegate = typist
    typist.text = "000000"
    #expect(await world.read(Bench.secret, .bench) == .failure(.attribute(0x05)))
    typist.text = nil
    #expect(await world.read(Bench.secret, .bench) == .failure(.attribute(0x05)))
    typist.text = "428160"
    #expect(await world.read(Bench.vault, .bench) == .success([42]))
    #expect(await world.read(Bench.secret, .bench) == .success([9]))
    #expect(typist.count == 3)
  }

  @Test func withoutAPersonThePasskeyComesFromTheOptions() async {
    var world = await world(.passkey) { $0.passkeyEntry = .correct }
    #expect(await world.read(Bench.vault, .bench) == .success([42]))
    world = await self.world(.passkey) { $0.passkeyEntry = .digits("428161") }
    #expect(await world.read(Bench.vault, .bench) == .failure(.attribute(0x05)))
    world = await self.world(.passkey, passkey: "") { $0.passkeyEntry = .digits("428161") }
    #expect(await world.read(Bench.vault, .bench) == .success([42]))
    world = await self.world(.passkey, passkey: "") { $0.passkeyEntry = .digits("42816") }
    #expect(await world.read(Bench.vault, .bench) == .failure(.attribute(0x05)))
  }

  @Test func aDeviceMaySayItselfWhatIsTyped() async {
    for (entry, result) in [
      (PasskeyEntry.correct, .success([42])), (.digits("428160"), .success([42])),
      (.digits("428161"), .failure(.attribute(0x05))), (.refused, .failure(.attribute(0x05))),
    ] as [(PasskeyEntry, Result<[UInt8], BluetoothError>)] {
      let world = VirtualWorld(
        .bench(pairing: .passkey) {
          $0.passkey = "428160"
          $0.passkeyEntry = entry
        }
      ) { $0.passkeyEntry = entry == .correct ? .refused : .correct }
      await world.connect(.bench)
      #expect(await world.read(Bench.vault, .bench) == result)
    }
  }

  @Test func aPasskeyThatIsAskedForIsTypedWhileTheDeviceWaits() async {
    let world = await world(.passkey) { $0.passkeyEntry = .asked }
    #expect(world.radio.enterPasskey("428160", of: nil) == 0)
    for (text, mark) in [("000000", "5"), (nil, "5"), ("428160", "42")] {
      world.radio.read(Bench.vault, of: .bench) { result in
        world.mark((try? result.get()).map { "\($0[0])" } ?? "\(result.error?.code ?? 0)")
      }
      await turns()
      #expect(world.takeEvents().isEmpty)
      #expect(world.radio.enterPasskey("428160", of: .other) == 0)
      #expect(world.radio.enterPasskey(text, of: text == nil ? nil : .bench) == 1)
      await turns()
      #expect(world.takeEvents() == [.mark(mark)])
      #expect(world.radio.enterPasskey(text, of: nil) == 0)
    }
  }

  @Test("PAIR-3: a passkey that is asked for and does not come gives ATT 15")
  func askedInVain() async {
    let world = await world(.passkey) {
      $0.passkeyEntry = .asked
      $0.pairingTimeout = .milliseconds(20)
    }
    #expect(await world.read(Bench.vault, .bench) == .failure(.attribute(0x0F)))
    #expect(world.radio.enterPasskey("428160", of: nil) == 0)
  }

  @Test("PAIR-3: a passkey that nobody types gives ATT 15 in the end")
  func timeout() async {
    let typist = Typist(answers: false)
    let world = await world(.passkey) { $0.pairingTimeout = .milliseconds(20) }
    world.radio.pairingDelegate = typist
    #expect(await world.read(Bench.vault, .bench) == .failure(.attribute(0x0F)))
    // Too late.
    typist.completion?("428160")
    await turns()
    #expect(world.takeEvents().isEmpty)
  }

  @Test func requestsWaitForThePasskeyAndEndWithTheLink() async {
    let typist = Typist(answers: false)
    let world = await world(.passkey)
    world.radio.pairingDelegate = typist
    world.radio.read(Bench.secret, of: .bench) { world.mark("secret \($0.error?.code ?? 0)") }
    world.radio.read(Bench.level, of: .bench) { world.mark("level \($0.error?.code ?? 0)") }
    await turns()
    #expect(world.events.isEmpty && typist.count == 1)
    world.radio.disconnect(.bench)
    await turns()
    #expect(world.takeEvents().prefix(2) == [.mark("secret 5"), .mark("level 5")])
    typist.completion?("428160")
    await turns()
    #expect(world.takeEvents().isEmpty)
  }

  @Test("GATT-29: a subscription that needs encryption pairs")
  func subscribing() async {
    let device = MockDevice.bench {
      $0.services[0].characteristics[0].properties = [.read, .notifyEncryptionRequired]
    }
    let world = VirtualWorld(device)
    await world.connect(.bench)
    #expect(await world.setNotify(true, Bench.level, .bench) == .attribute(0x0F))
    world.radio.configuration.devices[0].pairingMode = .justWorks
    #expect(await world.setNotify(true, Bench.level, .bench) == nil)
  }

  @Test func keysOutliveTheLinkUntilTheyAreForgotten() async {
    let typist = Typist()
    typist.text = "428160"
    let world = await world(.passkey)
    world.radio.pairingDelegate = typist
    #expect(await world.read(Bench.vault, .bench) == .success([42]))
    world.radio.disconnect(.bench)
    await world.connect(.bench)
    #expect(await world.read(Bench.vault, .bench) == .success([42]))
    #expect(typist.count == 1)
    world.radio.disconnect(.bench)
    world.radio.removeBond(with: .bench)
    await world.connect(.bench)
    typist.text = nil
    #expect(await world.read(Bench.vault, .bench) == .failure(.attribute(0x05)))
  }

  @Test("ImpossiBLE: none and just works are allowed, a passkey never is")
  func impossible() async {
    for (mode, isAllowed) in [(MockPairingMode.none, true), (.justWorks, true), (.passkey, false)] {
      let world = await world(mode) { $0.compatibility = .impossible }
      // The 2902 that the configuration does not list is not there, and handles behind it are one less.
      let secret = Bench.secret - 1
      #expect((await world.read(secret, .bench) == .success([9])) == isAllowed)
      #expect((await world.write([1], secret, .bench) == nil) == isAllowed)
      // No property is checked, nor a descriptor's.
      #expect(await world.write([1], Bench.level, .bench) == nil)
      #expect(await world.read(Bench.stream, .bench) == .success([]))
      #expect(await world.write([65], Bench.levelDescription, .bench) == nil)
    }
  }
}

/// Types what the test says.
@BridgeQueue
private final class Typist: PairingDelegate {
  var text: String?
  private(set) var count = 0
  private(set) var completion: (@BridgeQueue (String?) -> Void)?
  private let answers: Bool

  init(answers: Bool = true) { self.answers = answers }

  func radio(
    _ radio: VirtualRadio, wantsPasskeyOf peripheral: PeripheralIdentifier,
    completion: @escaping @BridgeQueue (String?) -> Void
  ) {
    count += 1
    self.completion = completion
    if answers { completion(text) }
  }
}
