import ExampleSupport
import Testing

/// The built program, with the service and its virtual devices.
@Suite(.timeLimit(.minutes(3))) struct BatteryMonitorTests {
  /// A mouse whose battery goes down while somebody listens, a keyboard that only lets its level be read, and a lamp.
  private static let devices = """
    {"name": "Desk", "devices": [
      {"name": "Mouse", "advertisedServiceUUIDs": ["180F"], "services": [{"uuid": "180F", "characteristics": [
        {"uuid": "2A19", "properties": 18, "value": "UA==", "behavior": {
          "source": {"kind": "list", "values": ["Tw==", "Tg=="], "interval": 0.3, "repeat": false}}}]}]},
      {"name": "Keyboard", "advertisedServiceUUIDs": ["180F", "1812"], "services": [{"uuid": "180F", "characteristics": [
        {"uuid": "2A19", "properties": 2, "value": "Nw=="}]}]},
      {"name": "Lamp", "advertisedServiceUUIDs": ["FFE0"]}
    ]}
    """

  @Test func levelsArePrintedAsTheyCome() async throws {
    let service = try Service(configuration: Self.devices)
    let monitor = try service.program("battery-monitor")
    try await monitor.lines.line("Bluetooth is on")
    try await monitor.lines.lines(["Keyboard: 55 %", "Mouse: 80 %", "Mouse: 79 %", "Mouse: 78 %"])
  }

  @Test func itWaitsForBluetoothAndComesBackToItsDevices() async throws {
    let service = try Service(configuration: Self.devices)
    let monitor = try service.program("battery-monitor")
    try await monitor.lines.line("Keyboard: 55 %")
    service.kill()
    try await monitor.lines.lines(["Bluetooth is off", "Keyboard: not connected", "Mouse: not connected"])
    try service.start()
    try await monitor.lines.lines(["Bluetooth is on", "Keyboard: 55 %", "Mouse: 80 %"])
  }
}
