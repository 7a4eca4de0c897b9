import CoreBluetooth

/// What the peripheral that the checks meet is made of, on every transport: `peripheral.json` for virtual devices,
/// `Tests/Lab/lab/suite.py` for the lab's.
enum SuiteLayout {
  static let name = "Suite"
  static let neighbour = "Neighbour"

  static var main: CBUUID { CBUUID(string: "FFE0") }
  static var second: CBUUID { CBUUID(string: "FFD0") }
  /// Secondary, included by the main one.
  static var included: CBUUID { CBUUID(string: "FFC0") }
  /// Of the neighbour.
  static var other: CBUUID { CBUUID(string: "FFB0") }

  static var text: CBUUID { CBUUID(string: "FFE1") }
  static var long: CBUUID { CBUUID(string: "FFE2") }
  static var store: CBUUID { CBUUID(string: "FFE3") }
  static var notifying: CBUUID { CBUUID(string: "FFE4") }
  static var indicating: CBUUID { CBUUID(string: "FFE5") }
  static var failing: CBUUID { CBUUID(string: "FFE6") }
  static var writeOnly: CBUUID { CBUUID(string: "FFE7") }
  /// A write ends the link, from the device's side.
  static var hangUp: CBUUID { CBUUID(string: "FFE8") }
  static var all: [CBUUID] { [text, long, store, notifying, indicating, failing, writeOnly, hangUp] }
  static var secondText: CBUUID { CBUUID(string: "FFD1") }
  /// A write changes the service that it is in, the second one.
  static var change: CBUUID { CBUUID(string: "FFD2") }
  static var includedText: CBUUID { CBUUID(string: "FFC1") }

  static let textValue = Data("Hello".utf8)
  static let longValue = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
  static let manufacturerData = Data([0xFF, 0xFF, 1, 2, 3])
  static let description = "Counter"
  static let format = Data([4, 0, 0, 0x27, 1, 0, 0])
  static let readError = 0x80
  static let writeError = 0x81
  /// Every byte comes back.
  static let echoPSM: CBL2CAPPSM = 0x80
  static let closedPSM: CBL2CAPPSM = 0x90
}
