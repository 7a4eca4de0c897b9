import BridgeIO
import BridgeProtocol
import RadioFaults

extension Session {
  /// A service that is told to fail for ever more is no use to anyone.
  private static let faultLimit = 1000

  func setFault(_ request: SetFault) {
    guard server.faults.faultCount < Self.faultLimit else {
      return fail(.setFault(request), .outOfSpace.saying("\(Self.faultLimit) faults are set already"))
    }
    let setting = server.faults.add(request.fault)
    Log.notice("session", "\(name): fault \(setting.number) is set: \(request.fault)")
    send(.didSetFault(DidSetFault(number: setting.number, applied: setting.applied)))
  }

  /// Those that are set, and those of the configuration that all clients see, as far as there is room for them.
  func reportFaults() {
    var faults = server.faults.faults
    for world in server.worlds {
      let room = Self.faultLimit - faults.count
      guard room > 0, let plan = world.configuredFaults else { continue }
      faults += plan.faults.prefix(room).map { FaultStatus(number: nil, applied: $0.applied, rule: $0.rule) }
    }
    send(.didReportFaults(DidReportFaults(faults: faults)))
  }

  func clearFaults(_ request: ClearFaults) {
    let count = server.faults.clear(request.number)
    if let number = request.number, count == 0 {
      return fail(.clearFaults(request), .invalidParameters.saying("There is no fault \(number)"))
    }
    if count > 0 { Log.notice("session", "\(name): \(count) faults are cleared") }
    send(.didClearFaults(DidClearFaults(count: count)))
  }
}
