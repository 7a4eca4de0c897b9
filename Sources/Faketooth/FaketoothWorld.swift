import BridgeIO
import BridgeProtocol
import BridgeServer
import CoreBluetooth
import MockBackend
import Radio
import RadioFaults

/// The simulated peripherals on a virtual radio, served in the process.
@BridgeQueue
final class FaketoothWorld {
  static let shared = FaketoothWorld()

  private var radio: VirtualRadio?
  private var server: Server?
  private var devices: [FaketoothDevice] = []

  /// Of managers while the simulation is active.
  nonisolated static let endpoint = ServiceEndpoint(
    ending: { FaketoothWorld.ending(of: $0) },
    connect: {
      let (own, theirs) = try UnixSocket.pair().take()
      BridgeQueue.async { shared.accept(FileDescriptor(owning: own)) }
      return FileDescriptor(owning: theirs)
    })

  /// Closed at once when the simulation has ended meanwhile.
  private func accept(_ descriptor: consuming FileDescriptor) { server?.serve(descriptor) }

  // MARK: Peripherals

  func serve(_ peripherals: [FaketoothPeripheral]?) {
    guard let peripherals else { return stop() }
    let radio = radio ?? start()
    let former = devices
    devices = peripherals.map { peripheral in
      former.first { $0.peripheral === peripheral } ?? FaketoothDevice(peripheral)
    }
    for device in former where !devices.contains(where: { $0 === device }) { radio.remove(device.id) }
    for device in devices where device.radio == nil { radio.add(device) }
  }

  private func start() -> VirtualRadio {
    var options = VirtualRadioOptions()
    options.advertisingInterval = .milliseconds(250)
    let radio = VirtualRadio(options: options)
    let server = Server(configuration: ServerConfiguration(serverVersion: "Faketooth"), radio: radio)
    self.radio = radio
    self.server = server
    server.startInProcess()
    delaysChanged()
    return radio
  }

  private func stop() {
    devices = []
    radio = nil
    guard let server else { return }
    self.server = nil
    // It and its radio are needed until it has stopped.
    server.stop { withExtendedLifetime(server) {} }
  }

  func notify(_ characteristic: FaketoothCharacteristic, of peripheral: FaketoothPeripheral) {
    devices.first { $0.peripheral === peripheral }?.notify(characteristic)
  }

  // MARK: Delays

  func delaysChanged() {
    guard let plan = server?.faults else { return }
    plan.clear()
    for (operation, delay) in FaketoothSettings.delay.byOperation where delay > 0 {
      var rule = FaultRule(operation)
      rule.delay = min(Double(delay), FaultRule.maximumDelay)
      plan.add(rule)
    }
  }

  private static func ending(of id: PeripheralIdentifier) -> EmulatedEnding {
    let error = shared.devices.first { $0.id == id }?.peripheral.disconnectionError
    let delay = FaketoothSettings.delay.cancelPeripheralConnectionDelayInSeconds
    return EmulatedEnding(delay: .seconds(Double(delay)), error: error.map { BluetoothError($0) })
  }
}

extension FaketoothDelaySettings {
  fileprivate var byOperation: [(FaultOperation, Float)] {
    [
      (.advertisement, scanForPeripheralDelayInSeconds), (.connect, connectPeripheralDelayInSeconds),
      (.discoverServices, discoverServicesDelayInSeconds),
      (.discoverCharacteristics, discoverCharacteristicsDelayInSeconds),
      (.discoverIncludedServices, discoverIncludedServicesDelayInSeconds),
      (.discoverDescriptors, discoverDescriptorsForCharacteristicDelayInSeconds),
      (.read, readValueForCharacteristicDelayInSeconds), (.write, writeValueForCharacteristicDelayInSeconds),
      (.readDescriptor, readValueForDescriptorDelayInSeconds),
      (.writeDescriptor, writeValueForDescriptorDelayInSeconds),
      (.setNotify, setNotifyValueForCharacteristicDelayInSeconds),
    ]
  }
}
