import BridgeIO
import BridgeProtocol
import DBus
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

@Suite @BridgeQueue struct LinkJournalTests: OnScriptedDaemon {
  let folder = TemporaryFolder()

  /// What a service leaves that is killed while it holds `paths`.
  private func leave(_ paths: [String], daemon: String) async {
    let own = TemporaryFolder()
    let journal = LinkJournal(directory: own.path)
    _ = journal.begin(daemon: daemon)
    for path in paths { journal.note(path, isHeld: true) }
    #expect(await eventually { paths.allSatisfy { own.read("links")?.contains($0) == true } })
    folder.write(own.read("links") ?? "", to: "links")
  }

  private func close(_ journal: LinkJournal) async {
    await withCheckedContinuation { done in journal.close { done.resume() } }
  }

  @Test func `what was held when the service was killed is left to the next`() async {
    await leave(["/a", "/b"], daemon: "bus :1.5")
    let journal = LinkJournal(directory: folder.path)
    #expect(journal.begin(daemon: "bus :1.5") == ["/a", "/b"])
    #expect(journal.begin(daemon: "bus :1.5") == [])
    await close(journal)
  }

  @Test func `another bluetoothd has nothing of it`() async {
    await leave(["/a"], daemon: "bus :1.5")
    let journal = LinkJournal(directory: folder.path)
    #expect(journal.begin(daemon: "bus :1.6") == [])
    await close(journal)
  }

  @Test func `a stop in good order leaves nothing`() async {
    let journal = LinkJournal(directory: folder.path)
    _ = journal.begin(daemon: "bus :1.5")
    journal.note("/a", isHeld: true)
    await close(journal)
    let next = LinkJournal(directory: folder.path)
    #expect(next.begin(daemon: "bus :1.5") == [])
    await close(next)
  }

  @Test func `a second service with the same directory does not end the first one's links`() async {
    let first = LinkJournal(directory: folder.path)
    _ = first.begin(daemon: "bus :1.5")
    first.note("/a", isHeld: true)
    #expect(await eventually { folder.read("links")?.contains("/a") == true })
    let second = LinkJournal(directory: folder.path)
    #expect(second.begin(daemon: "bus :1.5") == [])
    await close(second)
    #expect(folder.read("links")?.contains("/a") == true)
    await close(first)
  }

  @Test func `a file that is not a journal is nobody's link`() async {
    folder.write("\u{1}\u{2}/a\n/b\n", to: "links")
    let journal = LinkJournal(directory: folder.path)
    #expect(journal.begin(daemon: "bus :1.5") == [])
    await close(journal)
  }

  @Test func `links of a killed service stayed up for ever, and hid their devices from every scan`() async throws {
    let others = "/org/bluez/hci0/dev_00_00_00_00_00_02"
    var linked = properties
    linked["Address"] = .string("00:00:00:00:00:02")
    linked["Connected"] = .boolean(true)
    try await PrivateBus.run { bus in
      let daemon = try await ScriptedDaemon.start(on: bus, devices: [(others, linked)])
      let own = TemporaryFolder()
      let (radio, recorder) = makeRadio(bus, configure: { $0.stateDirectory = own.path })
      await recorder.state(.poweredOn)
      _ = await link(radio, daemon, recorder)
      #expect(await eventually { own.read("links")?.contains(device) == true })
      folder.write(own.read("links") ?? "", to: "links")

      let (next, news) = makeRadio(bus, configure: { $0.stateDirectory = folder.path })
      await news.state(.poweredOn)
      let call = await daemon.called("Disconnect")
      #expect(call.path == device)
      daemon.change(device, ["Connected": .boolean(false)])
      call.succeed()
      #expect(await eventually { folder.read("links")?.contains(device) == false })
      #expect(daemon.counts["Disconnect"] == 1)
      for radio in [radio, next] { await withCheckedContinuation { done in radio.stop { done.resume() } } }
      daemon.stop()
    }
  }
}
