import BridgeProtocol
import Testing

@testable import BridgeCommands

@Suite struct CommandTests {
  @Test func everyCommandTeaches() {
    for command in [
      ServeCommand.help, StatusCommand.help, DevicesCommand.help, ScanCommand.help, DoctorCommand.help,
      ModeCommand.help, ListMocksCommand.help, ShowMockCommand.help, UseMockCommand.help, ImportMockCommand.help,
      ValidateMockCommand.help, CaptureCommand.help, ReplayCommand.help,
    ] {
      #expect(command.hasPrefix("Usage: bridge "))
      #expect(command.contains("--help, -h"))
    }
  }

  @Test func theWidestHelpFitsATerminal() {
    let texts = [
      Bridge.overview, ServeCommand.help, ScanCommand.help, DoctorCommand.help, ModeCommand.help,
      UseMockCommand.help, ImportMockCommand.help, ValidateMockCommand.help, CaptureCommand.help,
    ]
    let widest = texts.flatMap { $0.split(separator: "\n") }.max { $0.count < $1.count }
    #expect(widest!.count <= 120, "\(widest!)")
  }

  @Test func unknownWordsAreUsageErrors() {
    #expect(Bridge.run([]) == .usage)
    #expect(Bridge.run(["nonsense"]) == .usage)
    #expect(Bridge.run(["serve", "--policy", "both"]) == .usage)
    #expect(Bridge.run(["serve", "--socket-mode", "9"]) == .usage)
    #expect(Bridge.run(["serve", "--passkey", "12345678"]) == .usage)
    #expect(Bridge.run(["serve", "--radio", "neither"]) == .usage)
    #expect(Bridge.run(["serve", "--mock-passkey", "12345"]) == .usage)
    #expect(Bridge.run(["serve", "everything"]) == .usage)
    #expect(Bridge.run(["scan", "--service", "heart rate"]) == .usage)
    #expect(Bridge.run(["scan", "--duration", "0"]) == .usage)
    #expect(Bridge.run(["replay"]) == .usage)
    #expect(Bridge.run(["replay", "a", "b"]) == .usage)
    #expect(Bridge.run(["replay", "/no/such/file"]) == .failure)
    #expect(Bridge.run(["replay", "/dev/null"]) == .failure)
    #expect(Bridge.run(["capture", "--service", "heart rate"]) == .usage)
    #expect(Bridge.run(["capture", "--notifications", "-1"]) == .usage)
  }

  @Test func withoutAServiceTheClientsSayHowToGetOne() {
    for command in ["status", "devices", "scan"] {
      #expect(Bridge.run([command, "--socket", "/nonexistent/b.sock"]) == .noService)
    }
  }

  @Test func statusShowsWhatIsInTheWay() {
    let status = DidReportStatus(
      serverVersion: "1", uptime: 3725, socketPath: "/s", policy: "shared",
      radios: [
        RadioStatus(kind: "bluez", adapter: "hci0", state: .poweredOff, problem: "hci0 is off"),
        RadioStatus(kind: "mock", state: .poweredOn),
      ], mode: .both, serving: "both", notice: "As you were.", mockConfiguration: "Lamps",
      clients: [
        ClientStatus(id: 1, pid: 7, bundleId: "app", isScanning: true, connectedPeripherals: [], connectedSince: 0)
      ],
      trafficActive: false, lastActivity: "Lamp: Read 2A19")
    let text = StatusCommand.text(status)
    #expect(text.contains("up 1 h 2 min"))
    #expect(text.contains("Serving  both (mode both)\n         As you were.\n"))
    #expect(text.contains("Radio    bluez hci0, poweredOff\n         hci0 is off\n"))
    #expect(text.contains("Radio    mock, poweredOn: Lamps\n"))
    #expect(text.contains("idle; last: Lamp: Read 2A19"))
    #expect(text.contains("app  7"))
  }

  @Test func devicesShowTheMostFrequentOperationFirst() {
    let device = DeviceActivity(
      id: PeripheralIdentifier(high: 1, low: 2), name: "", address: nil, operations: ["Read": 2, "Write": 9],
      bytesRead: 40, bytesWritten: 9, notifications: 3, firstAt: 0, lastAt: 1, lastOperation: "Read",
      lastDetail: "2A19", isActive: true, count: 11, clients: [ActivityClient(bundleId: "app", pid: 7)])
    let row = DevicesCommand.text([device]).split(separator: "\n")[1]
    #expect(row.hasPrefix("*  -     00000000-0000-0001-"))
    #expect(row.contains("Write 9, Read 2"))
    #expect(row.contains("Read 2A19 1970-01-01T00:00:01Z"))
    #expect(row.hasSuffix("app (7)"))
  }

  @Test func companiesAreShownAsNumbers() {
    #expect(ScanCommand.manufacturer([0x4C, 0x00, 0x02, 0x15]) == "004C: 0215")
  }
}
