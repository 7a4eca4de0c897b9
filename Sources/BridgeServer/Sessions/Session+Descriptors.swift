import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  func readDescriptor(_ request: ReadDescriptor, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (connection, table) in
      guard let descriptor = table.descriptor(request.descriptorId) else {
        return fail(message, connection.unknown(request.descriptorId) ?? .unknownAttribute)
      }
      let entry = connection.begin(.readDescriptor, .attribute(descriptor.attribute.uuid))
      connection.radio.read(descriptor.attribute.handle, of: request.id) { [self] result in
        connection.finish(entry, read: (try? result.get().count) ?? 0, error: result.failure)
        guard connection.state == .connected else { return }
        switch result {
        case .success(let bytes):
          let value = DescriptorValue(bytes, of: descriptor.attribute.uuid)
          send(
            .didUpdateDescriptorValue(
              DidUpdateDescriptorValue(id: request.id, descriptorId: request.descriptorId, value: value)))
        case .failure(let error): fail(message, error)
        }
      }
    }
  }

  func writeDescriptor(_ request: WriteDescriptor, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (connection, table) in
      guard let descriptor = table.descriptor(request.descriptorId) else {
        return fail(message, connection.unknown(request.descriptorId) ?? .unknownAttribute)
      }
      let uuid = descriptor.attribute.uuid
      let entry = connection.begin(.writeDescriptor, .attribute(uuid), written: request.value.count)
      @BridgeQueue func refuse(_ error: BluetoothError) {
        connection.finish(entry, error: error)
        fail(message, error)
      }
      guard uuid != .clientCharacteristicConfiguration else { return refuse(.mustSetNotify) }
      guard request.value.count <= ProtocolLimits.maximumValueLength else { return refuse(.valueTooLong) }
      connection.radio.write(request.value, to: descriptor.attribute.handle, of: request.id) { [self] result in
        connection.finish(entry, error: result.failure)
        guard connection.state == .connected else { return }
        if let error = result.failure { return fail(message, error) }
        send(
          .didWriteDescriptorValue(DidWriteDescriptorValue(id: request.id, descriptorId: request.descriptorId)))
      }
    }
  }
}

extension BluetoothError {
  /// In Apple's words.
  fileprivate static let mustSetNotify = uuidNotAllowed.saying(
    "Client Characteristic Configuration descriptors must be configured using setNotifyValue:forCharacteristic:")
}

extension BluetoothUUID {
  fileprivate static let clientCharacteristicConfiguration = BluetoothUUID(short: 0x2902)
}

extension DescriptorValue {
  /// As CoreBluetooth types it: 2900, 2902 and 2903 are numbers of up to 16 bits, little endian, 2901 and 2905 text.
  init(_ bytes: [UInt8], of uuid: BluetoothUUID) {
    switch uuid.short {
    case 0x2900, 0x2902, 0x2903: self = .number(bytes.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) })
    case 0x2901, 0x2905: self = .text(String(decoding: bytes, as: UTF8.self))
    default: self = .bytes(bytes)
    }
  }
}
