import BridgeProtocol
import BridgeServer
import CoreBluetooth
import MockBackend

// The configuration in the engine's terms.

extension EmulatorConfiguration {
  /// What happens to which operation.
  var faultRules: [FaultRule] {
    delays.compactMap { FaultRule($0, delay: $1) } + failures
  }

  var adapterState: AdapterState { AdapterState(rawValue: state.rawValue) ?? .poweredOn }

  private var delays: [(FaultOperation, TimeInterval)] {
    [
      (.connect, connectionDelay), (.discoverServices, serviceDiscoveryDelay),
      (.discoverIncludedServices, serviceDiscoveryDelay), (.discoverCharacteristics, characteristicDiscoveryDelay),
      (.discoverDescriptors, descriptorDiscoveryDelay), (.read, readDelay), (.readDescriptor, readDelay),
      (.write, writeDelay), (.writeDescriptor, writeDelay), (.notification, notificationDelay),
      (.writeWithoutResponse, simulateBackpressure ? backpressureProcessingDelay : 0),
    ]
  }

  private var failures: [FaultRule] {
    var rules: [FaultRule] = []
    if simulateConnectionFailure {
      rules.append(FaultRule(.connect, rate: connectionFailureRate, seed: errorSeed, .connectionFailed))
    }
    if simulateReadWriteErrors {
      for operation in [FaultOperation.read, .write, .readDescriptor, .writeDescriptor] {
        rules.append(FaultRule(operation, rate: readWriteErrorRate, seed: errorSeed, .attribute(0x0E)))
      }
    }
    return rules.filter { $0.rate > 0 }
  }

  var switches: ServerSwitches {
    ServerSwitches(
      honorsDuplicates: honorAllowDuplicatesOption && !backgroundModeEnabled,
      honorsSolicitedServices: honorSolicitedServiceUUIDs, admitsOpenScans: !backgroundModeEnabled,
      tellsConnectionEvents: fireConnectionEvents)
  }

  var hostedWorld: VirtualHostedWorld.Options {
    var options = VirtualHostedWorld.Options()
    let middle = (rssiRange.lowerBound + rssiRange.upperBound) / 2
    let (range, variation) = (rssiRange, max(0, rssiVariation))
    options.rssi = {
      min(max(middle + Int.random(in: -variation...variation), range.lowerBound), range.upperBound)
    }
    options.advertisingInterval = .seconds(max(scanDiscoveryInterval, 0.01))
    options.maximumMTU = min(max(min(defaultMTU, maximumMTU), 23), 517)
    options.pairing = pairing
    options.updateInterval = simulateBackpressure ? .seconds(max(backpressureProcessingDelay, 0)) : .zero
    options.l2capPSMs = l2capSupported ? l2capPSMRange : nil
    options.txPowerLevel = autoGenerateAdvertisementFields ? -8 : nil
    options.showsLocalName = true
    return options
  }

  private var pairing: VirtualPairing {
    guard simulatePairing else { return VirtualPairing(mode: requirePairing ? .none : .justWorks) }
    return VirtualPairing(mode: pairingSucceeds ? .justWorks : .none, duration: .seconds(max(pairingDelay, 0)))
  }

  var writeQueueDepth: Int {
    simulateBackpressure ? max(maxWriteWithoutResponseQueue, 1) : WriteWindow.standardSize
  }

  var peripheralRules: PeripheralRules {
    var rules = PeripheralRules()
    rules.limitsAdvertisement = appliesAdvertisingRules
    rules.advertisesAnything = !appliesAdvertisingRules
    rules.updateQueueDepth = simulateBackpressure ? max(maxNotificationQueue, 1) : 4096
    return rules
  }
}

extension FaultRule {
  /// nil for no delay.
  fileprivate init?(_ operation: FaultOperation, delay: TimeInterval) {
    guard delay > 0 else { return nil }
    self.init(operation)
    self.delay = min(delay, Self.maximumDelay)
  }

  fileprivate init(_ operation: FaultOperation, rate: Double, seed: UInt64, _ error: BluetoothError) {
    self.init(operation)
    self.rate = min(max(rate, 0), 1)
    self.seed = seed
    self.error = error
  }
}
