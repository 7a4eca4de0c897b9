public import BridgeIO
public import BridgeProtocol

/// A radio of virtual peripherals whose world can be replaced while it is used.
@BridgeQueue
public protocol MockRadio: Radio {
  /// The peripherals. When it is replaced, links to those that are in both stand; the others end. A running scan goes on
  /// and shows what is new.
  var configuration: MockConfiguration { get set }
}
