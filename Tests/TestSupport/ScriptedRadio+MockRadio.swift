import BridgeIO
public import BridgeProtocol
public import Radio

extension ScriptedRadio: MockRadio {
  /// A radio of virtual devices, all of them readable: those of a configuration, with plain tables.
  public convenience init(_ configuration: MockConfiguration) {
    self.init(kind: "mock")
    self.configuration = configuration
    adopt(configuration)
  }

  func adopt(_ configuration: MockConfiguration) {
    let gone = devices.filter { id, _ in !configuration.devices.contains { $0.id == id } }
    for (id, device) in gone {
      if device.isConnected { loseLink(id, .peripheralDisconnected) }
      devices[id] = nil
    }
    for device in configuration.devices {
      let isConnected = devices[device.id]?.isConnected ?? false
      devices[device.id] = Device(device)
      devices[device.id]?.isConnected = isConnected
    }
  }
}

extension ScriptedRadio.Device {
  init(_ device: MockDevice) {
    self.init(name: device.name)
    var handle: AttributeHandle = 0
    func next() -> AttributeHandle {
      handle += 1
      return handle
    }
    for service in device.services {
      var result = GATTService(handle: next(), uuid: service.uuid, isPrimary: service.isPrimary)
      for characteristic in service.characteristics {
        let handle = next()
        result.characteristics.append(
          GATTCharacteristic(handle: handle, uuid: characteristic.uuid, properties: characteristic.properties))
        values[handle] = .success(characteristic.value ?? [])
      }
      database.services.append(result)
    }
  }
}
