import Foundation

/// A central that uses what a `CBPeripheralManager` has published.
open class CBCentral: CBPeer {
  private let updateLength: Guarded<Int>

  package init(identifier: UUID, maximumUpdateValueLength: Int) {
    updateLength = Guarded(maximumUpdateValueLength)
    super.init(identifier: identifier)
  }

  /// Bytes that a single notification or indication to this central can carry.
  open var maximumUpdateValueLength: Int { updateLength[\.self] }

  package func update(maximumUpdateValueLength: Int) { updateLength[\.self] = maximumUpdateValueLength }

  open override var description: String {
    Description(self, ["identifier = \(identifier.uuidString)", "MTU = \(maximumUpdateValueLength)"]).text
  }
}
