@preconcurrency import CoreBluetooth

/// What both sides know of the chat.
@MainActor
enum ChatService {
  static let uuid = CBUUID(string: "C4A70001-52F5-4B0C-9F5D-2D9C4C0DE500")
  /// Guests write their messages here: UTF-8.
  static let inbox = CBUUID(string: "C4A70002-52F5-4B0C-9F5D-2D9C4C0DE500")
  /// Notifies what the others say.
  static let outbox = CBUUID(string: "C4A70003-52F5-4B0C-9F5D-2D9C4C0DE500")
  /// Where to open the channel for messages that are too long for a value.
  static let psm = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
}
