public import CoreBluetooth

// The emulator's names are CoreBluetooth's classes themselves: what a test uses is what an app uses.

public typealias EmulatedCBManager = CBManager
public typealias EmulatedCBCentralManager = CBCentralManager
public typealias EmulatedCBCentralManagerDelegate = CBCentralManagerDelegate
public typealias EmulatedCBPeripheral = CBPeripheral
public typealias EmulatedCBPeripheralDelegate = CBPeripheralDelegate
public typealias EmulatedCBPeripheralManager = CBPeripheralManager
public typealias EmulatedCBPeripheralManagerDelegate = CBPeripheralManagerDelegate
public typealias EmulatedCBCentral = CBCentral
public typealias EmulatedCBService = CBService
public typealias EmulatedCBMutableService = CBMutableService
public typealias EmulatedCBCharacteristic = CBCharacteristic
public typealias EmulatedCBMutableCharacteristic = CBMutableCharacteristic
public typealias EmulatedCBDescriptor = CBDescriptor
public typealias EmulatedCBMutableDescriptor = CBMutableDescriptor
public typealias EmulatedCBATTRequest = CBATTRequest
public typealias EmulatedCBL2CAPChannel = CBL2CAPChannel
