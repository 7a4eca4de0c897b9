import BridgeIO
import DBus

/// A peripheral's attributes and their objects. They stay over disconnections, as with bluetoothd's cache.
@BridgeQueue
final class FakeAttributeTable {
  unowned var device: FakeDevice!
  private(set) var services: [FakeService] = []
  /// Whether bluetoothd has discovered them.
  private(set) var areKnown = false

  init(_ descriptions: [FakeServiceDescription]) {
    services = FakeService.layOut(Self.withGenericAttribute(descriptions))
  }

  /// Every real server has it, and bluetoothd exports it.
  private static func withGenericAttribute(_ descriptions: [FakeServiceDescription]) -> [FakeServiceDescription] {
    if descriptions.isEmpty || descriptions.contains(where: { bluezUUID($0.uuid) == bluezUUID("1801") }) {
      return descriptions
    }
    return [FakeServiceDescription("1801", [FakeCharacteristicDescription("2a05", ["indicate"])])] + descriptions
  }

  var characteristics: [FakeCharacteristic] { services.flatMap(\.characteristics) }
  var uuids: [String] { Array(Set(services.map { bluezUUID($0.description.uuid) })).sorted() }

  func resolve() {
    areKnown = true
    publish()
    for characteristic in characteristics { characteristic.update("MTU", .uint16(device.mtu)) }
  }

  func publish() { for service in services { service.publish(on: device) } }

  func unpublish() { for service in services { service.unpublish() } }

  func forget() {
    unpublish()
    areKnown = false
    for characteristic in characteristics { characteristic.notifySessions = [] }
  }

  func linkEnded() {
    for characteristic in characteristics {
      characteristic.update("MTU", nil)
      characteristic.isWriting = false
    }
  }

  func daemonEnded() {
    for service in services { service.daemonEnded() }
  }

  func clientLeft(_ name: String) { for characteristic in characteristics { characteristic.clientLeft(name) } }

  /// Service Changed: services that are the same at the same place stay, others go and come.
  func change(to descriptions: [FakeServiceDescription]) {
    let old = services
    services = FakeService.layOut(Self.withGenericAttribute(descriptions)).map { new in
      old.first { $0.isSame(as: new) } ?? new
    }
    for service in old where !services.contains(where: { $0 === service }) { service.unpublish() }
    guard areKnown else { return }
    publish()
    for characteristic in characteristics where device.isConnected { characteristic.update("MTU", .uint16(device.mtu)) }
    device.update("UUIDs", .strings(uuids))
    device.tree.flush()
  }
}

extension FakeDevice {
  /// The peripheral's attribute table becomes another, live or before the next connection.
  public func changeServices(_ services: [FakeServiceDescription]) { attributes.change(to: services) }

  public var services: [FakeService] { attributes.services }

  /// The first characteristic of this UUID.
  public func characteristic(_ uuid: String) -> FakeCharacteristic {
    guard let found = attributes.characteristics.first(where: { $0.uuid == bluezUUID(uuid) }) else {
      fatalError("the fake peripheral has no characteristic \(uuid)")
    }
    return found
  }
}
