public import Foundation

/// A central's read or write of a characteristic that the app has published.
open class CBATTRequest: NSObject {
  private let requestCentral: CBCentral
  private let requestCharacteristic: CBCharacteristic
  private let requestOffset: Int
  private let requestValue: Guarded<Data?>
  /// To be answered with; nil for one that nobody waits for.
  let ticket: RequestTicket?

  package init(
    central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?, ticket: RequestTicket? = nil
  ) {
    self.ticket = ticket
    requestCentral = central
    requestCharacteristic = characteristic
    requestOffset = offset
    requestValue = Guarded(value)
  }

  open var central: CBCentral { requestCentral }

  open var characteristic: CBCharacteristic { requestCharacteristic }

  /// Where in the value the read or write begins.
  open var offset: Int { requestOffset }

  /// What is written; of a read nil until the app fills it in.
  open var value: Data? {
    get { requestValue[\.self] }
    set { requestValue[\.self] = newValue }
  }

  open override var description: String {
    Description(
      self,
      [
        "Central = \(central)", "Characteristic = \(characteristic)", "Offset = \(offset)",
        "Value = \(Description.of(value))",
      ]
    ).text
  }
}
