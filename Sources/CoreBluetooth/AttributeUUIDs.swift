// swift-format-ignore-file: AlwaysUseLowerCamelCase

public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"
public let CBUUIDCharacteristicFormatString: String = "2904"
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"
public let CBUUIDCharacteristicValidRangeString: String = "2906"
@available(*, deprecated, renamed: "CBUUIDCharacteristicValidRangeString")
public let CBUUIDValidRangeString: String = "2906"
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"
/// Of a characteristic, by convention: its value is a published PSM, little endian.
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"
