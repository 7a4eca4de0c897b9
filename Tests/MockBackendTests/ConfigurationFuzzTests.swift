import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import TestSupport
import Testing

/// Whatever a configuration says, a world can be made of it and walked through.
@Suite @BridgeQueue struct ConfigurationFuzzTests {
  @Test(arguments: 0..<4)
  func damagedConfigurationsAreServed(seed: Int) async {
    var random = SplitMix64(seed: UInt64(seed))
    let world = VirtualWorld(MockConfiguration(name: "None")) { $0.passkeyEntry = .correct }
    world.radio.scan(RadioScan(allowDuplicates: true))
    for (_, bytes) in Corpus.files {
      for _ in 0..<20 {
        var text = bytes
        Mutation.apply(to: &text, using: &random)
        var problems: [ConfigurationProblem] = []
        let file = MockConfigurationFile(text, name: "fuzz", problems: &problems)
        for configuration in file.configurations { await walk(configuration, world) }
      }
    }
    world.radio.scan(nil)
  }

  private func walk(_ configuration: MockConfiguration, _ world: VirtualWorld) async {
    world.radio.configuration = configuration
    let devices = Dictionary(configuration.devices.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for device in devices.values where device.isConnectable {
      await world.connect(device.id)
      guard let database = try? await world.discover(device.id).get() else {
        Issue.record("no table")
        continue
      }
      for characteristic in database.services.flatMap(\.characteristics) {
        _ = await world.read(characteristic.handle, device.id)
        _ = await world.write([1, 2, 3], characteristic.handle, device.id)
        _ = await world.setNotify(true, characteristic.handle, device.id)
        for descriptor in characteristic.descriptors { _ = await world.read(descriptor.handle, device.id) }
      }
      for service in device.l2cap { try? await world.open(psm: UInt16(clamping: service.psm), device.id).get().close() }
    }
    await turns()
    _ = (world.takeEvents(), world.takeAdvertisements())
  }
}
