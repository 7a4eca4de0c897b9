/// What a peripheral manager insists on where systems differ, or tests want it otherwise.
package struct PeripheralRules: Sendable {
  /// Names and UUIDs have the room of one legacy advertisement, as on Apple's systems.
  package var limitsAdvertisement = true
  /// Services that a phone keeps for itself are refused under their 16-bit UUIDs, as on iOS.
  package var refusesReservedServices = false
  /// Only the name and the UUIDs are advertised, as on Apple's systems.
  package var advertisesAnything = false
  /// Updates on their way before `updateValue` returns false.
  package var updateQueueDepth = 20

  package init() {}
}
