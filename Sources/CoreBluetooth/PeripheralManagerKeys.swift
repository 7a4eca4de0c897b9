// swift-format-ignore-file: AlwaysUseLowerCamelCase

public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
