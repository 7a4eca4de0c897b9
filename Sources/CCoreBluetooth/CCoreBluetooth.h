// The enumerations and option sets of CoreBluetooth, with Apple's names and values. Declared in C, and imported from
// here, so that they behave as Apple's do: open for values without a name, `@unknown default` meaningful, printed as
// `CBManagerState(rawValue: 5)`.
#ifndef CCOREBLUETOOTH_H
#define CCOREBLUETOOTH_H

typedef enum __attribute__((enum_extensibility(open))) CBManagerState : long {
  CBManagerStateUnknown = 0,
  CBManagerStateResetting = 1,
  CBManagerStateUnsupported = 2,
  CBManagerStateUnauthorized = 3,
  CBManagerStatePoweredOff = 4,
  CBManagerStatePoweredOn = 5,
} CBManagerState;

typedef enum __attribute__((enum_extensibility(open))) CBManagerAuthorization : long {
  CBManagerAuthorizationNotDetermined = 0,
  CBManagerAuthorizationRestricted = 1,
  CBManagerAuthorizationDenied = 2,
  CBManagerAuthorizationAllowedAlways = 3,
} CBManagerAuthorization;

typedef enum __attribute__((enum_extensibility(open))) CBPeripheralState : long {
  CBPeripheralStateDisconnected = 0,
  CBPeripheralStateConnecting = 1,
  CBPeripheralStateConnected = 2,
  CBPeripheralStateDisconnecting = 3,
} CBPeripheralState;

typedef enum __attribute__((enum_extensibility(open))) CBCharacteristicWriteType : long {
  CBCharacteristicWriteTypeWithResponse = 0,
  CBCharacteristicWriteTypeWithoutResponse = 1,
} CBCharacteristicWriteType;

typedef enum __attribute__((enum_extensibility(open))) CBConnectionEvent : long {
  CBConnectionEventPeerDisconnected = 0,
  CBConnectionEventPeerConnected = 1,
} CBConnectionEvent;

typedef enum __attribute__((enum_extensibility(open))) CBPeripheralManagerConnectionLatency : long {
  CBPeripheralManagerConnectionLatencyLow = 0,
  CBPeripheralManagerConnectionLatencyMedium = 1,
  CBPeripheralManagerConnectionLatencyHigh = 2,
} CBPeripheralManagerConnectionLatency;

typedef enum __attribute__((enum_extensibility(open), flag_enum)) CBCentralManagerFeature : unsigned long {
  CBCentralManagerFeatureExtendedScanAndConnect = 1UL << 0,
} CBCentralManagerFeature;

typedef enum __attribute__((enum_extensibility(open), flag_enum)) CBCharacteristicProperties : unsigned long {
  CBCharacteristicPropertiesBroadcast = 0x01,
  CBCharacteristicPropertiesRead = 0x02,
  CBCharacteristicPropertiesWriteWithoutResponse = 0x04,
  CBCharacteristicPropertiesWrite = 0x08,
  CBCharacteristicPropertiesNotify = 0x10,
  CBCharacteristicPropertiesIndicate = 0x20,
  CBCharacteristicPropertiesAuthenticatedSignedWrites = 0x40,
  CBCharacteristicPropertiesExtendedProperties = 0x80,
  CBCharacteristicPropertiesNotifyEncryptionRequired = 0x100,
  CBCharacteristicPropertiesIndicateEncryptionRequired = 0x200,
} CBCharacteristicProperties;

typedef enum __attribute__((enum_extensibility(open), flag_enum)) CBAttributePermissions : unsigned long {
  CBAttributePermissionsReadable = 0x01,
  CBAttributePermissionsWriteable = 0x02,
  CBAttributePermissionsReadEncryptionRequired = 0x04,
  CBAttributePermissionsWriteEncryptionRequired = 0x08,
} CBAttributePermissions;

typedef enum __attribute__((enum_extensibility(open))) CBErrorCode : long {
  CBErrorCodeUnknown = 0,
  CBErrorCodeInvalidParameters = 1,
  CBErrorCodeInvalidHandle = 2,
  CBErrorCodeNotConnected = 3,
  CBErrorCodeOutOfSpace = 4,
  CBErrorCodeOperationCancelled = 5,
  CBErrorCodeConnectionTimeout = 6,
  CBErrorCodePeripheralDisconnected = 7,
  CBErrorCodeUUIDNotAllowed = 8,
  CBErrorCodeAlreadyAdvertising = 9,
  CBErrorCodeConnectionFailed = 10,
  CBErrorCodeConnectionLimitReached = 11,
  CBErrorCodeUnknownDevice = 12,
  CBErrorCodeOperationNotSupported = 13,
  CBErrorCodePeerRemovedPairingInformation = 14,
  CBErrorCodeEncryptionTimedOut = 15,
  CBErrorCodeTooManyLEPairedDevices = 16,
  CBErrorCodeLeGattExceededBackgroundNotificationLimit = 17,
  CBErrorCodeLeGattNearBackgroundNotificationLimit = 18,
} CBErrorCode;

typedef enum __attribute__((enum_extensibility(open))) CBATTErrorCode : long {
  CBATTErrorCodeSuccess = 0,
  CBATTErrorCodeInvalidHandle = 1,
  CBATTErrorCodeReadNotPermitted = 2,
  CBATTErrorCodeWriteNotPermitted = 3,
  CBATTErrorCodeInvalidPdu = 4,
  CBATTErrorCodeInsufficientAuthentication = 5,
  CBATTErrorCodeRequestNotSupported = 6,
  CBATTErrorCodeInvalidOffset = 7,
  CBATTErrorCodeInsufficientAuthorization = 8,
  CBATTErrorCodePrepareQueueFull = 9,
  CBATTErrorCodeAttributeNotFound = 10,
  CBATTErrorCodeAttributeNotLong = 11,
  CBATTErrorCodeInsufficientEncryptionKeySize = 12,
  CBATTErrorCodeInvalidAttributeValueLength = 13,
  CBATTErrorCodeUnlikelyError = 14,
  CBATTErrorCodeInsufficientEncryption = 15,
  CBATTErrorCodeUnsupportedGroupType = 16,
  CBATTErrorCodeInsufficientResources = 17,
} CBATTErrorCode;

// A typedef of a deprecated enumeration is a use of it.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

typedef enum __attribute__((enum_extensibility(open), deprecated("use CBManagerState"))) CBCentralManagerState : long {
  CBCentralManagerStateUnknown = 0,
  CBCentralManagerStateResetting = 1,
  CBCentralManagerStateUnsupported = 2,
  CBCentralManagerStateUnauthorized = 3,
  CBCentralManagerStatePoweredOff = 4,
  CBCentralManagerStatePoweredOn = 5,
} CBCentralManagerState;

typedef enum __attribute__((enum_extensibility(open), deprecated("use CBManagerState"))) CBPeripheralManagerState : long {
  CBPeripheralManagerStateUnknown = 0,
  CBPeripheralManagerStateResetting = 1,
  CBPeripheralManagerStateUnsupported = 2,
  CBPeripheralManagerStateUnauthorized = 3,
  CBPeripheralManagerStatePoweredOff = 4,
  CBPeripheralManagerStatePoweredOn = 5,
} CBPeripheralManagerState;

typedef enum __attribute__((enum_extensibility(open), deprecated("use CBManagerAuthorization"))) CBPeripheralManagerAuthorizationStatus : long {
  CBPeripheralManagerAuthorizationStatusNotDetermined = 0,
  CBPeripheralManagerAuthorizationStatusRestricted = 1,
  CBPeripheralManagerAuthorizationStatusDenied = 2,
  CBPeripheralManagerAuthorizationStatusAuthorized = 3,
} CBPeripheralManagerAuthorizationStatus;

#pragma clang diagnostic pop

#endif
