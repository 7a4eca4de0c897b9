import BridgeProtocol

// A configured device in the terms of the virtual radio.

extension MockDevice {
  /// nil for a disabled device.
  var advertisement: AdvertisementData? {
    guard isEnabled else { return nil }
    let localName = localName ?? name
    return AdvertisementData(
      localName: localName.isEmpty ? nil : localName, isConnectable: isConnectable,
      serviceUUIDs: advertisedServiceUUIDs, overflowServiceUUIDs: overflowServiceUUIDs,
      solicitedServiceUUIDs: solicitedServiceUUIDs,
      manufacturerData: manufacturerData.flatMap { $0.isEmpty ? nil : $0 }, serviceData: serviceData,
      txPowerLevel: txPower)
  }

  var virtualServices: [VirtualService] {
    let includesAny = services.contains { !$0.includedServices.isEmpty }
    let places = includesAny ? Dictionary(zip(services.map(\.id), 0...), uniquingKeysWith: { first, _ in first }) : [:]
    return services.map { service in
      VirtualService(
        uuid: service.uuid, isPrimary: service.isPrimary,
        includedServices: service.includedServices.compactMap { places[$0] },
        characteristics: service.characteristics.map(\.virtual))
    }
  }

  /// nil if there is none, or no such attribute.
  func value(at place: VirtualAttribute.Place) -> [UInt8]? {
    guard let characteristic = characteristic(at: place) else { return nil }
    guard let descriptor = place.descriptor else { return characteristic.value }
    return characteristic.descriptors.indices.contains(descriptor)
      ? characteristic.descriptors[descriptor].value : nil
  }

  func lifetime(at place: VirtualAttribute.Place) -> MockValueLifetime {
    characteristic(at: place)?.valueLifetime ?? .untilTeardown
  }

  private func characteristic(at place: VirtualAttribute.Place) -> MockCharacteristic? {
    guard services.indices.contains(place.service),
      services[place.service].characteristics.indices.contains(place.characteristic)
    else { return nil }
    return services[place.service].characteristics[place.characteristic]
  }
}

extension MockCharacteristic {
  fileprivate var virtual: VirtualCharacteristic {
    let securesNotifications = !properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired])
    return VirtualCharacteristic(
      uuid: uuid, properties: properties, readSecurity: readSecurity ?? securityLevel,
      writeSecurity: writeSecurity ?? securityLevel,
      notifySecurity: notifySecurity ?? (securesNotifications ? .encryption : .none), maximumLength: maximumLength,
      descriptors: descriptors.map { VirtualDescriptor(uuid: $0.uuid, isWritable: isWritable($0)) })
  }

  /// As servers have it: those that the specification defines are read, but for a description where the extended
  /// properties allow it to be written.
  private func isWritable(_ descriptor: MockDescriptor) -> Bool {
    if let isWritable = descriptor.isWritable { return isWritable }
    switch descriptor.uuid.short {
    case 0x2901:
      let extended = descriptors.first { $0.uuid.short == 0x2900 }?.value?.first ?? 0
      return properties.contains(.extendedProperties) && extended & 2 != 0
    case 0x2900, 0x2904, 0x2905, 0x2906: return false
    default: return true
    }
  }
}
