/// The devices of ImpossiBLE's "Dense Sensor Environment": many kinds of sensor in one room.
extension MockDevice {
  static let denseSensorEnvironment: [MockDevice] = climateStations + wearables + cyclingSensors + building

  private static let climateStations: [MockDevice] = [
    .stock(
      "Climate Station A1", -38, [0x181A],
      [
        .stock(
          0x181A,
          [
            .measurement(0x2A6E, [0x98, 0x08], "Temperature"), .measurement(0x2A6F, [0x84, 0x11], "Humidity"),
            .measurement(0x2A6D, [0x10, 0x27, 0x00, 0x00], "Pressure"),
          ]), .battery(0x5F, described: .configuration),
        .information([(0x2A29, "SensorCorp"), (0x2A24, "CS-400"), (0x2A26, "3.2.1")]),
      ]),
    .stock(
      "Climate Station B3", -62, [0x181A],
      [
        .stock(
          0x181A, [.measurement(0x2A6E, [0x30, 0x07], "Temperature"), .measurement(0x2A6F, [0xE8, 0x0E], "")]),
        .battery(0x4B),
      ]),
  ]

  private static let wearables: [MockDevice] = [
    .stock(
      "Polar H10 #217", -44, [0x180D],
      [
        .stock(
          0x180D, [.stock(0x2A37, .notify, [0x00, 0x44], described: .configuration), .stock(0x2A38, .read, [0x01])]),
        .battery(0x52, described: .configuration),
      ]),
    .stock(
      "BP Monitor Pro", -51, [0x1810],
      [
        .stock(
          0x1810,
          [.stock(0x2A35, .indicate, [0x00, 0x78, 0x00, 0x50, 0x00, 0x5A, 0x00], described: .configuration)]),
        .information([
          (0x2A29, "MedTech"), (0x2A24, "BPM-200"), (0x2A25, "MT-90812"), (0x2A26, "1.4.0"), (0x2A28, "2.0.3"),
        ]), .battery(0x64),
      ]),
  ]

  private static let cyclingSensors: [MockDevice] = [
    .stock(
      "Stages LR", -57, [0x1818],
      [
        .stock(
          0x1818,
          [
            .stock(0x2A63, .notify, [0x00, 0x00, 0xB8, 0x00], described: .configuration),
            .stock(0x2A65, .read, [0x00, 0x00, 0x00, 0x00]), .stock(0x2A5D, .read, [0x0D]),
          ]), .battery(0x2D), .information([(0x2A29, "Stages Cycling"), (0x2A26, "4.1.7")]),
      ]),
    .stock(
      "Wahoo SC v2", -63, [0x1816],
      [
        .stock(
          0x1816,
          [
            .stock(0x2A5B, .notify, [0x03] + [UInt8](repeating: 0, count: 10), described: .configuration),
            .stock(0x2A5C, .read, [0x03, 0x00]), .stock(0x2A5D, .read, [0x06]),
          ]), .battery(0x58),
      ]),
    .stock(
      "PulseOx Ring", -48, [0x1822],
      [
        .stock(
          0x1822,
          [
            .stock(0x2A5E, .notify, [0x00, 0x00, 0x62, 0x00, 0x42, 0x00], described: .configuration),
            .stock(0x2A60, .read, [0x00, 0x00]),
          ]), .battery(0x37),
      ]),
  ]

  private static let building: [MockDevice] = [
    .stock(
      "SmartHub GW-01", -35, [0xFFF0], pairing: .justWorks,
      [
        .stock(
          0xFFF0,
          [
            .measurement(0xFFF1, [0x01, 0x07, 0x00], "Gateway Status"),
            .stock(0xFFF2, [.read, .write], [0x00, 0x3C], security: .encryption, described: .text("Config")),
            .stock(
              0xFFF3, [.writeWithoutResponse, .notify], nil, security: .encryption, described: .configuration,
              .text("Data Channel")),
          ]),
        .information([
          (0x2A29, "SmartHub Inc."), (0x2A24, "GW-01"), (0x2A26, "5.0.0-rc2"), (0x2A27, "Rev C"),
        ]), .battery(0x64),
      ]), .beacon("Beacon Lobby", -72, [], iBeacon(major: 1, minor: 10)),
    .beacon("Beacon Hallway 2F", -85, [], iBeacon(major: 2, minor: 20)),
    .stock(
      "LIFX Bulb #3", -67, [0xFE25],
      [
        .stock(
          0xFE25,
          [
            .stock(0xFE26, [.read, .write], [0x01, 0xFF], described: .text("Power & Brightness")),
            .stock(0xFE27, [.read, .write], [0xF4, 0x01], described: .text("Color Temperature")),
          ])
      ]),
    .stock(
      "Door Sensor Main", -74, [0xFFF0],
      [.stock(0xFFF0, [.measurement(0xFFF1, [0x00], "Door State")]), .battery(0x1E)]),
  ]

  /// Apple's company identifier, type and length, the usual example UUID, major, minor, power at a metre.
  private static func iBeacon(major: UInt8, minor: UInt8) -> [UInt8] {
    [
      0x4C, 0x00, 0x02, 0x15, 0xFD, 0xA5, 0x06, 0x93, 0xA4, 0xE2, 0x4F, 0xB1, 0xAF, 0xCF, 0xC6, 0xEB, 0x07, 0x64,
      0x78, 0x25, 0x00, major, 0x00, minor, 0xC5,
    ]
  }
}
