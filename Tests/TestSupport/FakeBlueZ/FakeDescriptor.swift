public import BridgeIO
import DBus

/// One descriptor of a fake peripheral and its GattDescriptor1.
@BridgeQueue
public final class FakeDescriptor {
  public let description: FakeDescriptorDescription
  public let handle: UInt16
  public var value: [UInt8]
  public var readError: UInt8?
  public var writeError: UInt8?
  private weak var device: FakeDevice?
  private var object: FakeObject?

  init(_ description: FakeDescriptorDescription, next: inout UInt16) {
    self.description = description
    handle = next
    next += 1
    value = description.value
  }

  public var path: String { object?.path ?? "" }

  func publish(on device: FakeDevice, characteristic: String) {
    self.device = device
    let object = device.tree.add(
      characteristic + "/desc" + hexadecimal(handle),
      [
        FakeNames.descriptor: [
          "UUID": .string(bluezUUID(description.uuid)),
          "Characteristic": .objectPath(ObjectPath(characteristic)), "Value": .bytes([]), "Handle": .uint16(handle),
        ]
      ])
    self.object = object
    object.on(FakeNames.descriptor, "ReadValue") { [unowned self] in read($0) }
    object.on(FakeNames.descriptor, "WriteValue") { [unowned self] in write($0) }
  }

  func unpublish() {
    guard let device, let object else { return }
    device.link.lose(requestsOn: object.path)
    device.tree.remove(object.path)
    self.object = nil
  }

  func daemonEnded() { object = nil }

  private func read(_ call: FakeCall) {
    guard let device, let object, device.isConnected else { return call.fail(.bluezNotConnected) }
    device.link.carry(call) {
      if let error = self.readError { return call.fail(.bluez(att: error)) }
      device.tree.flush()
      device.tree.emitChanged(object, FakeNames.descriptor, ["Value": .bytes(self.value)])
      call.reply(.bytes(self.value))
    }
  }

  private func write(_ call: FakeCall) {
    guard let device, device.isConnected else { return call.fail(.bluezNotConnected) }
    guard let value = call.arguments.first?.bytes else { return call.fail(.bluezInvalidArguments) }
    guard value.count <= 512 else { return call.fail(.bluez("InvalidArguments", "Invalid Length")) }
    // bluetoothd writes it itself, through StartNotify.
    if bluezUUID(description.uuid) == bluezUUID("2902") { return call.fail(.bluez(att: 0x03)) }
    device.link.carry(call) {
      if let error = self.writeError { return call.fail(.bluez(att: error)) }
      self.value = value
      call.reply()
    }
  }
}
