import Foundation
import Observation

/// Prints what has changed about the batteries, whenever something has: what a view would show.
@MainActor
final class Report {
  private let monitor: BatteryMonitor
  private var shown: [String] = []

  init(on monitor: BatteryMonitor) {
    self.monitor = monitor
    update()
  }

  private func update() {
    let lines = withObservationTracking {
      [monitor.isBluetoothOn ? "Bluetooth is on" : "Bluetooth is off"] + monitor.batteries.map(line)
    } onChange: {
      // Called before the change.
      Task { @MainActor [weak self] in self?.update() }
    }
    for line in lines where !shown.contains(line) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
    shown = lines
  }

  private func line(for battery: Battery) -> String {
    if let problem = battery.problem { return "\(battery.name): \(problem)" }
    guard battery.isConnected else { return "\(battery.name): not connected" }
    return battery.level.map { "\(battery.name): \($0) %" } ?? "\(battery.name): connected"
  }
}
