/// How long simulated operations take, in seconds.
public struct FaketoothDelaySettings: Hashable, Sendable {
  // swift-format-ignore-file: AlwaysUseLowerCamelCase
  public var scanForPeripheralDelayInSeconds: Float = 0
  public var connectPeripheralDelayInSeconds: Float = 0
  public var cancelPeripheralConnectionDelayInSeconds: Float = 0
  public var discoverServicesDelayInSeconds: Float = 0
  public var discoverCharacteristicsDelayInSeconds: Float = 0
  public var discoverIncludedServicesDelayInSeconds: Float = 0
  public var discoverDescriptorsForCharacteristicDelayInSeconds: Float = 0
  public var readValueForCharacteristicDelayInSeconds: Float = 0
  public var writeValueForCharacteristicDelayInSeconds: Float = 0
  public var readValueForDescriptorDelayInSeconds: Float = 0
  public var writeValueForDescriptorDelayInSeconds: Float = 0
  public var setNotifyValueForCharacteristicDelayInSeconds: Float = 0

  /// No delays.
  public init() {}

  public init(
    scanForPeripheralDelayInSeconds: Float, connectPeripheralDelayInSeconds: Float,
    cancelPeripheralConnectionDelayInSeconds: Float, discoverServicesDelayInSeconds: Float,
    discoverCharacteristicsDelayInSeconds: Float, discoverIncludedServicesDelayInSeconds: Float,
    discoverDescriptorsForCharacteristicDelayInSeconds: Float, readValueForCharacteristicDelayInSeconds: Float,
    writeValueForCharacteristicDelayInSeconds: Float, readValueForDescriptorDelayInSeconds: Float,
    writeValueForDescriptorDelayInSeconds: Float, setNotifyValueForCharacteristicDelayInSeconds: Float
  ) {
    self.scanForPeripheralDelayInSeconds = scanForPeripheralDelayInSeconds
    self.connectPeripheralDelayInSeconds = connectPeripheralDelayInSeconds
    self.cancelPeripheralConnectionDelayInSeconds = cancelPeripheralConnectionDelayInSeconds
    self.discoverServicesDelayInSeconds = discoverServicesDelayInSeconds
    self.discoverCharacteristicsDelayInSeconds = discoverCharacteristicsDelayInSeconds
    self.discoverIncludedServicesDelayInSeconds = discoverIncludedServicesDelayInSeconds
    self.discoverDescriptorsForCharacteristicDelayInSeconds = discoverDescriptorsForCharacteristicDelayInSeconds
    self.readValueForCharacteristicDelayInSeconds = readValueForCharacteristicDelayInSeconds
    self.writeValueForCharacteristicDelayInSeconds = writeValueForCharacteristicDelayInSeconds
    self.readValueForDescriptorDelayInSeconds = readValueForDescriptorDelayInSeconds
    self.writeValueForDescriptorDelayInSeconds = writeValueForDescriptorDelayInSeconds
    self.setNotifyValueForCharacteristicDelayInSeconds = setNotifyValueForCharacteristicDelayInSeconds
  }

  /// What Faketooth begins with.
  static let standard = FaketoothDelaySettings(
    scanForPeripheralDelayInSeconds: 1, connectPeripheralDelayInSeconds: 1,
    cancelPeripheralConnectionDelayInSeconds: 0.5, discoverServicesDelayInSeconds: 0.1,
    discoverCharacteristicsDelayInSeconds: 0.1, discoverIncludedServicesDelayInSeconds: 0.1,
    discoverDescriptorsForCharacteristicDelayInSeconds: 0.1, readValueForCharacteristicDelayInSeconds: 0.1,
    writeValueForCharacteristicDelayInSeconds: 0.1, readValueForDescriptorDelayInSeconds: 0.1,
    writeValueForDescriptorDelayInSeconds: 0.1, setNotifyValueForCharacteristicDelayInSeconds: 0.1)
}
