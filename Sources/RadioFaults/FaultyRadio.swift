public import BridgeIO
public import Radio

/// A radio with faults of its own, beside those that are set on the service.
@BridgeQueue
public protocol FaultyRadio: Radio {
  var faults: FaultPlan { get }
}
