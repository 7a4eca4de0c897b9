import BridgeProtocol
import Radio

/// An advertisement that a device repeats with one signal strength after another; shared by the repeats that wait.
final class AdvertisedContent: Sendable {
  private let advertisement: Advertisement

  init(_ advertisement: Advertisement) { self.advertisement = advertisement }

  var peripheral: PeripheralIdentifier { advertisement.peripheral }
  var name: String? { advertisement.name }

  /// - Parameter rssi: dBm.
  func heard(at rssi: Int) -> Advertisement {
    var heard = advertisement
    heard.rssi = rssi
    return heard
  }
}
