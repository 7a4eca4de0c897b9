public import BridgeIO
import DBus

/// One service of a fake peripheral and its GattService1.
@BridgeQueue
public final class FakeService {
  public let description: FakeServiceDescription
  public let handle: UInt16
  public let characteristics: [FakeCharacteristic]
  private weak var device: FakeDevice?
  private var path = ""

  private init(
    _ description: FakeServiceDescription, handle: UInt16, characteristics: [FakeCharacteristic]
  ) {
    self.description = description
    self.handle = handle
    self.characteristics = characteristics
  }

  /// Gives handles in order, beginning at 1, except where a description has its own.
  static func layOut(_ descriptions: [FakeServiceDescription]) -> [FakeService] {
    var next: UInt16 = 1
    return descriptions.map { description in
      let handle = description.handle ?? next
      next = handle + 1
      let characteristics = description.characteristics.map { FakeCharacteristic($0, next: &next) }
      return FakeService(description, handle: handle, characteristics: characteristics)
    }
  }

  func isSame(as other: FakeService) -> Bool { description == other.description && handle == other.handle }

  func publish(on device: FakeDevice) {
    guard self.device == nil else { return }
    self.device = device
    path = device.path + "/service" + hexadecimal(handle)
    let includes = description.includes.map { Value.objectPath(ObjectPath(device.path + "/service" + hexadecimal($0))) }
    _ = device.tree.add(
      path,
      [
        FakeNames.service: [
          "UUID": .string(bluezUUID(description.uuid)), "Device": .objectPath(ObjectPath(device.path)),
          "Primary": .boolean(description.isPrimary), "Includes": .array(element: "o", includes),
          "Handle": .uint16(handle),
        ]
      ])
    for characteristic in characteristics { characteristic.publish(on: device, service: path) }
  }

  func unpublish() {
    guard let device else { return }
    for characteristic in characteristics { characteristic.unpublish() }
    device.tree.remove(path)
    self.device = nil
  }

  func daemonEnded() {
    device = nil
    for characteristic in characteristics { characteristic.daemonEnded() }
  }
}

/// Four digits, as in bluetoothd's paths.
func hexadecimal(_ handle: UInt16) -> String {
  let digits = String(handle, radix: 16)
  return String(repeating: "0", count: 4 - digits.count) + digits
}
