public import BridgeIO
public import BridgeProtocol

/// A radio of virtual peripherals whose world can be replaced while it is used.
@BridgeQueue
public protocol MockRadio: Radio {
  /// The peripherals. When it is replaced, links to those that are in both stand; the others end. A running scan goes on
  /// and shows what is new.
  var configuration: MockConfiguration { get set }

  /// Types the passkey that peripherals show which wait for it: one, or all with nil as `id`. nil as text refuses.
  ///
  /// - Returns: how many have waited.
  func enterPasskey(_ text: String?, of id: PeripheralIdentifier?) -> Int
}

extension MockRadio {
  public func enterPasskey(_ text: String?, of id: PeripheralIdentifier?) -> Int { 0 }
}
