/// A fault that a configuration declares.
public struct ConfiguredFault: Hashable, Sendable {
  public var rule: FaultRule
  /// Devices that have their own say in the matter.
  public var excluded: Set<PeripheralIdentifier> = []
}

extension MockConfiguration {
  /// All that shall go wrong or take its time, with seeds.
  public var faults: [ConfiguredFault] {
    var faults: [ConfiguredFault] = []
    let seed = behavior?.content.seed ?? 0
    var excluded: [SimulationBehavior.Knob: Set<PeripheralIdentifier>] = [:]
    for device in devices {
      guard device.hasBehavior else { continue }
      for knob in (device.behavior?.content.simulation.knobs ?? [:]).keys {
        excluded[knob, default: []].insert(device.id)
      }
      faults += device.faults.map { ConfiguredFault(rule: $0.seeded(with: device.behavior?.content.seed ?? seed)) }
    }
    guard let content = behavior?.content else { return faults }
    var rules: [ConfiguredFault] = []
    for (knob, value) in content.simulation.sortedKnobs {
      rules += knob.rules(value).map { ConfiguredFault(rule: $0, excluded: excluded[knob] ?? []) }
    }
    rules += content.faults.map { ConfiguredFault(rule: $0) }
    return faults
      + rules.enumerated().map { index, fault in
        var fault = fault
        // Not one that a device's own rule has.
        fault.rule.seed = fault.rule.seed ?? UInt64(index) | 1 << 32
        fault.rule = fault.rule.seeded(with: seed)
        return fault
      }
  }
}

extension MockDevice {
  fileprivate var hasBehavior: Bool {
    behavior != nil || services.contains { $0.characteristics.contains { $0.hasBehavior } }
  }

  /// Its own, all of them naming it.
  fileprivate var faults: [FaultRule] {
    var rules: [FaultRule] = []
    if let content = behavior?.content {
      for (knob, value) in content.simulation.sortedKnobs { rules += knob.rules(value) }
      rules += content.errors
      rules += content.faults.map { rule in
        var rule = rule
        if rule.drop, rule.error == nil { rule.error = content.disconnectionError }
        return rule
      }
    }
    for service in services {
      for characteristic in service.characteristics where characteristic.hasBehavior {
        rules += characteristic.faults.map { rule in
          var rule = rule
          rule.service = service.uuid
          rule.characteristic = characteristic.uuid
          return rule
        }
      }
    }
    return rules.enumerated().map { index, rule in
      var rule = rule
      rule.id = id
      // Rules of equal seeds would strike together.
      rule.seed = rule.seed ?? UInt64(index)
      return rule
    }
  }
}

extension MockCharacteristic {
  fileprivate var hasBehavior: Bool { behavior != nil || descriptors.contains { $0.behavior != nil } }

  fileprivate var faults: [FaultRule] {
    var rules: [FaultRule] = []
    if let content = behavior?.content {
      for (operation, delay) in content.delays.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where delay > 0 {
        rules.append(FaultRule(operation, delay: delay))
      }
      if let error = content.readError { rules.append(FaultRule(.read, error: error)) }
      if let error = content.writeError { rules.append(FaultRule(.write, error: error)) }
      rules += content.faults
    }
    for descriptor in descriptors {
      guard let content = descriptor.behavior?.content else { continue }
      if let error = content.readError {
        rules.append(FaultRule(.readDescriptor, descriptor: descriptor.uuid, error: error))
      }
      if let error = content.writeError {
        rules.append(FaultRule(.writeDescriptor, descriptor: descriptor.uuid, error: error))
      }
    }
    return rules
  }
}

extension DeviceBehavior {
  fileprivate var errors: [FaultRule] {
    let errors: [(FaultOperation, BluetoothError?)] = [
      (.connect, connectionError), (.discoverServices, discoverServicesError),
      (.discoverCharacteristics, discoverCharacteristicsError), (.discoverDescriptors, discoverDescriptorsError),
    ]
    return errors.compactMap { operation, error in error.map { FaultRule(operation, error: $0) } }
  }
}

extension SimulationBehavior {
  fileprivate var sortedKnobs: [(Knob, Double)] { knobs.map { ($0, $1) }.sorted { $0.0.order < $1.0.order } }
}

extension SimulationBehavior.Knob {
  fileprivate var order: String {
    switch self {
    case .delay(let operation): "1 \(operation.rawValue)"
    case .connectionFailureRate: "2"
    case .readWriteErrorRate: "3"
    }
  }

  fileprivate func rules(_ value: Double) -> [FaultRule] {
    guard value > 0 else { return [] }
    switch self {
    case .delay(let operation): return [FaultRule(operation, delay: value)]
    case .connectionFailureRate: return [FaultRule(.connect, error: .connectionFailed, rate: value)]
    case .readWriteErrorRate:
      return [FaultOperation.read, .write, .readDescriptor, .writeDescriptor].map {
        FaultRule($0, error: .attribute(0x0E), rate: value)
      }
    }
  }
}

extension FaultRule {
  fileprivate init(
    _ operation: FaultOperation, descriptor: BluetoothUUID? = nil, error: BluetoothError? = nil, delay: Double = 0,
    rate: Double = 1
  ) {
    self.init(operation)
    self.descriptor = descriptor
    self.error = error
    self.delay = delay
    self.rate = rate
  }

  fileprivate func seeded(with seed: UInt64) -> FaultRule {
    var rule = self
    rule.seed = seed &+ (rule.seed ?? 0) &* 0x9E37_79B9_7F4A_7C15
    return rule
  }
}
