import CoreBluetooth
import Testing

/// Names, raw values and strings that apps compare with.
@Suite struct SurfaceTests {
  @Test func `enumerations are open and print as Apple's do`() {
    #expect(CBManagerState(rawValue: 77)?.rawValue == 77)
    #expect("\(CBManagerState.poweredOn)" == "CBManagerState(rawValue: 5)")
    switch CBManagerState.poweredOn {
    case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff: Issue.record("another state")
    case .poweredOn: break
    @unknown default: Issue.record("another state")
    }
  }

  @Test func `raw values are Apple's`() {
    #expect(CBManagerState.unauthorized.rawValue == 3 && CBManagerAuthorization.allowedAlways.rawValue == 3)
    #expect(CBPeripheralState.disconnecting.rawValue == 3)
    #expect(
      CBCharacteristicWriteType.withResponse.rawValue == 0 && CBCharacteristicWriteType.withoutResponse.rawValue == 1)
    #expect(CBConnectionEvent.peerConnected.rawValue == 1)
    #expect(CBPeripheralManagerConnectionLatency.high.rawValue == 2)
    #expect(CBATTError.Code.insufficientResources.rawValue == 17 && CBError.Code.tooManyLEPairedDevices.rawValue == 16)
    let properties: CBCharacteristicProperties = [.read, .write, .indicateEncryptionRequired]
    #expect(properties.rawValue == 0x20A && properties.contains(.write))
    #expect(CBAttributePermissions([.readable, .writeEncryptionRequired]).rawValue == 9)
  }

  @Test func `key strings are Apple's`() {
    #expect(CBAdvertisementDataOverflowServiceUUIDsKey == "kCBAdvDataHashedServiceUUIDs")
    #expect(CBAdvertisementDataIsConnectable == "kCBAdvDataIsConnectable")
    #expect(CBCentralManagerOptionRestoreIdentifierKey == "kCBInitOptionRestoreIdentifier")
    #expect(CBConnectPeripheralOptionEnableAutoReconnect == "kCBConnectOptionEnableAutoReconnect")
    #expect(CBPeripheralManagerRestoredStateServicesKey == "kCBRestoredServices")
    #expect(CBConnectionEventMatchingOption.serviceUUIDs.rawValue == "kCBConnectionEventMatchingOptionServiceUUIDs")
  }
}
