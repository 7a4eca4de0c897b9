// swift-format-ignore-file: AlwaysUseLowerCamelCase

public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
