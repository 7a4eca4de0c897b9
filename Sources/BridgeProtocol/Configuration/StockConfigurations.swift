/// The configurations that come with ImpossiBLE, by the same names, with identifiers that never change.
extension MockConfiguration {
  /// In the order in which they are offered.
  public static let stock: [MockConfiguration] = [
    heartRateMonitor, deviceInformation, multiServiceSensor, denseSensorEnvironment,
  ]

  /// By its name, upper or lower case alike.
  public static func stock(named name: String) -> MockConfiguration? {
    stock.first { $0.name.lowercased() == name.lowercased() }
  }

  private static let heartRateMonitor = MockConfiguration(
    stock: "Heart Rate Monitor",
    [
      .stock(
        "Polar H10", -45, [0x180D],
        [
          .stock(
            0x180D,
            [.stock(0x2A37, .notify, [0x00, 0x48], described: .configuration), .stock(0x2A38, .read, [0x01])]),
          .battery(0x5A, described: .configuration, .text("Battery Level")),
        ])
    ])

  private static let deviceInformation = MockConfiguration(
    stock: "Device Information",
    [
      .stock(
        "BLE Gadget", -60, [0x180A],
        [
          .stock(0x1800, [.text(0x2A00, "BLE Gadget"), .stock(0x2A01, .read, [0x00, 0x00])]),
          .information([
            (0x2A29, "ImpossiBLE Inc."), (0x2A24, "Mock-1000"), (0x2A25, "SN-00000001"), (0x2A26, "1.0.0"),
            (0x2A27, "Rev A"), (0x2A28, "2.1.1"),
          ]),
        ])
    ])

  private static let multiServiceSensor = MockConfiguration(
    stock: "Multi-Service Sensor",
    [
      .stock(
        "Environment Sensor", -55, [0x181A],
        [
          .stock(
            0x181A,
            [
              .measurement(0x2A6E, [0xC8, 0x00], "Temperature"), .measurement(0x2A6F, [0xDC, 0x05], "Humidity"),
            ]), .battery(0x64, described: .configuration),
        ]),
      .beacon("Beacon", -80, [0xFE6F], [0x4C, 0x00, 0x02, 0x15, 0x01, 0x02, 0x03, 0x04]),
    ])

  fileprivate init(stock name: String, _ devices: [MockDevice]) {
    self.init(id: MockIdentifier(derivedFrom: "bridge stock/\(name)"), name: name, devices: devices)
    for index in self.devices.indices { self.devices[index].giveStockIdentifiers(in: "bridge stock/\(name)") }
  }

  static let denseSensorEnvironment = MockConfiguration(
    stock: "Dense Sensor Environment", MockDevice.denseSensorEnvironment)
}

extension MockDevice {
  static func stock(
    _ name: String, _ rssi: Int, _ advertised: [UInt32], pairing: MockPairingMode = .none, _ services: [MockService]
  ) -> MockDevice {
    var device = MockDevice(id: .none, name: name, services: services)
    device.rssi = rssi
    device.advertisedServiceUUIDs = advertised.map(BluetoothUUID.init(short:))
    device.pairingMode = pairing
    return device
  }

  /// Not connectable.
  static func beacon(_ name: String, _ rssi: Int, _ advertised: [UInt32], _ manufacturerData: [UInt8]) -> MockDevice {
    var device = stock(name, rssi, advertised, [])
    device.isConnectable = false
    device.manufacturerData = manufacturerData
    return device
  }

  /// From names and positions, so that they are the same at each load and in each version.
  fileprivate mutating func giveStockIdentifiers(in place: String) {
    let place = "\(place)/\(name)"
    id = PeripheralIdentifier(derivedFrom: place)
    for service in services.indices {
      let place = "\(place)/\(service)"
      services[service].id = MockIdentifier(derivedFrom: place)
      for characteristic in services[service].characteristics.indices {
        services[service].characteristics[characteristic].giveStockIdentifiers(in: "\(place)/\(characteristic)")
      }
    }
  }
}

extension MockService {
  static func stock(_ uuid: UInt32, _ characteristics: [MockCharacteristic]) -> MockService {
    MockService(uuid: BluetoothUUID(short: uuid), characteristics: characteristics)
  }

  /// Notifies if it is described.
  static func battery(_ level: UInt8, described: MockDescriptor...) -> MockService {
    let properties: CharacteristicProperties = described.isEmpty ? .read : [.read, .notify]
    var characteristic = MockCharacteristic.stock(0x2A19, properties, [level])
    characteristic.descriptors = described
    return stock(0x180F, [characteristic])
  }

  static func information(_ texts: [(uuid: UInt32, text: String)]) -> MockService {
    stock(0x180A, texts.map { .text($0.uuid, $0.text) })
  }
}

extension MockCharacteristic {
  static func stock(
    _ uuid: UInt32, _ properties: CharacteristicProperties, _ value: [UInt8]?,
    security: MockSecurityLevel = .none, described: MockDescriptor...
  ) -> MockCharacteristic {
    MockCharacteristic(
      uuid: BluetoothUUID(short: uuid), properties: properties, securityLevel: security, descriptors: described,
      value: value)
  }

  static func text(_ uuid: UInt32, _ text: String) -> MockCharacteristic { stock(uuid, .read, Array(text.utf8)) }

  /// Read and notified, with a name unless empty.
  static func measurement(_ uuid: UInt32, _ value: [UInt8], _ name: String) -> MockCharacteristic {
    var result = stock(uuid, [.read, .notify], value, described: .configuration)
    if !name.isEmpty { result.descriptors.append(.text(name)) }
    return result
  }

  fileprivate mutating func giveStockIdentifiers(in place: String) {
    id = MockIdentifier(derivedFrom: place)
    for index in descriptors.indices { descriptors[index].id = MockIdentifier(derivedFrom: "\(place)/\(index)") }
  }
}

extension MockDescriptor {
  /// Client Characteristic Configuration.
  static let configuration = MockDescriptor(uuid: BluetoothUUID(short: 0x2902), value: [0x00, 0x00])

  /// Characteristic User Description.
  static func text(_ text: String) -> MockDescriptor {
    MockDescriptor(uuid: BluetoothUUID(short: 0x2901), value: Array(text.utf8))
  }
}
