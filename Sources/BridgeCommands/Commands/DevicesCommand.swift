import BridgeProtocol
import FoundationEssentials

/// `bridge devices`: the record of traffic.
enum DevicesCommand: Command {
  struct Settings: ClientSettings {
    var socket = StandardSocket.preferred
    var json = false
    var watch = false
  }

  static let name = "devices"
  static let summary = "Devices that saw GATT or L2CAP requests."
  static let discussion = """
    Lists the devices that clients really talked to, the latest first: only GATT and L2CAP requests count, never scans,
    connections or discovery. An asterisk marks devices with traffic within the last 1.5 seconds. The record
    covers all clients since the service started.
    """
  static var options: [Option<Settings>] {
    [.flag("--watch", help: "Go on showing the list as it changes, until interrupted.", \.watch), .socket, .json]
  }
  static func settings() -> Settings { Settings() }

  static func run(_ settings: Settings) -> ExitStatus {
    settings.withService { (service) throws(ServiceClient.Failure) in
      service.send(.devices(Devices(watch: settings.watch)))
      while let message = try service.receive(by: settings.watch ? nil : .now + .seconds(5)) {
        guard case .didReportDevices(let report) = message else { continue }
        show(message, report, settings)
        if !settings.watch { return .success }
      }
      throw ServiceClient.Failure(text: "The service did not answer within 5 s.", status: .failure)
    }
  }

  private static func show(_ message: ServerMessage, _ report: DidReportDevices, _ settings: Settings) {
    if settings.json {
      Terminal.sayJSON(message)
    } else if settings.watch {
      Terminal.show(text(report.devices))
    } else {
      Terminal.say(text(report.devices))
    }
  }

  static func text(_ devices: [DeviceActivity]) -> String {
    guard !devices.isEmpty else { return "No device has seen GATT or L2CAP traffic." }
    return table(
      ["", "NAME", "IDENTIFIER", "ADDRESS", "OPERATIONS", "READ", "WRITTEN", "NOTIFIED", "LAST", "APPS"],
      devices.map { device in
        [
          device.isActive ? "*" : "", device.name.isEmpty ? "-" : device.name, device.id.text, device.address ?? "-",
          operations(device.operations), "\(device.bytesRead) B", "\(device.bytesWritten) B",
          "\(device.notifications)", last(device), apps(device.clients),
        ]
      })
  }

  /// The most frequent first.
  private static func operations(_ counts: [String: Int]) -> String {
    counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
      .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  private static func last(_ device: DeviceActivity) -> String {
    let time = Date(timeIntervalSince1970: device.lastAt.rounded()).formatted(.iso8601)
    return [device.lastOperation, device.lastDetail, time].filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func apps(_ clients: [ActivityClient]) -> String {
    clients.map { [$0.bundleId ?? "-", $0.pid.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ") }
      .joined(separator: ", ")
  }
}
