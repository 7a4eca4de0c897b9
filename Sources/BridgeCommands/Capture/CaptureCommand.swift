import BridgeIO
import BridgeProtocol
import Glibc

/// `bridge capture`: makes virtual devices out of real ones.
enum CaptureCommand: Command {
  static let name = "capture"
  static let summary = "Makes a mock configuration out of the devices on the air."
  static let discussion = """
    Scans through the running service, lets you pick devices, connects to each and looks at everything in it: services,
    characteristics, descriptors and all values that can be read. The result is a mock configuration that can be served at
    once; devices keep their identifiers.

      bridge capture                               pick from what is on the air
      bridge capture --name polar -o polar.json    all with that in their name, without asking
      bridge capture --service 180D --notifications 30

    When asked, answer with numbers and ranges (1 3-5), with !2 for all but that, or just Enter for all. A device that
    cannot be connected to, or does not answer, is taken as it advertises itself. Reading a protected value may make
    the device and this machine pair. Connecting and reading are traffic: 'bridge devices' shows it.

    Exit status 1 says that there was nothing to capture.
    """
  static var options: [Option<CaptureSettings>] { CaptureSettings.options }
  static func settings() -> CaptureSettings { CaptureSettings() }

  static func run(_ settings: CaptureSettings) -> ExitStatus {
    let isInteractive = !settings.says && isatty(STDIN_FILENO) == 1 && Terminal.isInteractive
    guard settings.says || isInteractive else {
      Terminal.complain("bridge capture: nobody can be asked: say which devices with --name, --service or --all")
      return .usage
    }
    return settings.withService { (service) throws(ServiceClient.Failure) in
      guard service.welcome.state == .poweredOn else {
        throw ServiceClient.Failure(
          text: "The service's radio is \(service.welcome.state.name): see 'bridge status' and 'bridge doctor'.",
          status: .radioUnavailable)
      }
      var scan = CaptureScan(through: service, settings, isInteractive: isInteractive)
      let found = try scan.run()
      let chosen = isInteractive ? pick(found) : found
      if chosen.isEmpty {
        Terminal.complain(found.isEmpty ? "Nothing to capture was heard." : "Nothing was chosen.")
        return .nothingFound
      }
      let devices = try inspect(chosen, through: service, settings)
      return write(MockConfiguration(name: name(settings), devices: devices), settings)
    }
  }

  // MARK: Steps

  /// Asks until the answer is understood; the end of input chooses nothing.
  private static func pick(_ found: [Sighting]) -> [Sighting] {
    if found.isEmpty { return [] }
    Terminal.show(CaptureScan.table(found) + "\n\nWhich? (1 3-5, !2, none; Enter for all)")
    while let line = readLine() {
      if let selection = Selection(line, of: found.count) { return selection.chosen.map { found[$0] } }
      Terminal.say("Numbers between 1 and \(found.count), please: 1 3-5, or !2 for all but 2.")
    }
    return []
  }

  /// One after another, in their order.
  static func inspect(
    _ chosen: [Sighting], through service: ServiceClient, _ settings: CaptureSettings
  ) throws(ServiceClient.Failure) -> [MockDevice] {
    var devices: [MockDevice] = []
    for (index, sighting) in chosen.enumerated() {
      let place = "(\(index + 1) of \(chosen.count))"
      guard sighting.isConnectable else {
        Terminal.complain(
          "\(Terminal.clean(sighting.displayName)) \(place): cannot be connected to, taken as it advertises")
        devices.append(sighting.device)
        continue
      }
      Terminal.complain("\(Terminal.clean(sighting.displayName)) \(place) …")
      let inspection = DeviceInspection(
        sighting, through: service, limits: settings.limits, notificationTime: settings.notificationTime)
      let device = try inspection.run()
      devices.append(device)
      Terminal.complain("  " + summary(device, inspection))
      for problem in inspection.problems { Terminal.complain("  " + Terminal.clean(problem)) }
    }
    return devices
  }

  private static func summary(_ device: MockDevice, _ inspection: DeviceInspection) -> String {
    let characteristics = device.services.flatMap(\.characteristics)
    var text = "\(device.services.count) services, \(characteristics.count) characteristics, "
    text += "\(inspection.readValues) values"
    if inspection.notifications > 0 { text += ", \(inspection.notifications) notifications" }
    return text
  }

  private static func name(_ settings: CaptureSettings) -> String {
    if !settings.configurationName.isEmpty { return settings.configurationName }
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "Capture %Y-%m-%d %H.%M", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func write(_ configuration: MockConfiguration, _ settings: CaptureSettings) -> ExitStatus {
    let json = MockConfigurationFile([configuration]).json(isComplete: true)
    if settings.output == "-" {
      Terminal.say(String(decoding: json, as: UTF8.self))
      return .success
    }
    let path = settings.output.isEmpty ? configuration.name.replacing("/", with: "_") + ".json" : settings.output
    do throws(SystemError) { try WholeFile.replace(path, with: json) } catch {
      Terminal.complain("bridge: \(path): \(error)")
      return .failure
    }
    Terminal.complain(
      "'\(configuration.name)' is in \(path). Serve it: bridge serve --radio mock --mock-config '\(path)'")
    return .success
  }
}
