import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  // MARK: Characteristics

  func read(_ request: ReadCharacteristic, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (connection, table) in
      guard let characteristic = table.characteristic(request.characteristicId) else {
        return fail(message, connection.unknown(request.characteristicId) ?? .unknownAttribute)
      }
      let entry = connection.begin(.read, .attribute(characteristic.attribute.uuid))
      connection.radio.read(characteristic.attribute.handle, of: request.id) { [self] result in
        switch result {
        case .success(let value):
          connection.finish(entry, read: value.count)
          guard connection.state == .connected else { return }
          sendValue(value, of: characteristic, as: request.characteristicId, request.id)
        case .failure(let error):
          connection.finish(entry, error: error)
          if connection.state == .connected { fail(message, error) }
        }
      }
    }
  }

  /// - Parameter text: the characteristic's id as the client writes it; the reply must repeat it.
  func sendValue(
    _ value: [UInt8], of characteristic: AttributeTable.Characteristic, as text: String, _ id: PeripheralIdentifier
  ) {
    if text == characteristic.id {
      Log.info("session", "\(number) < didUpdateValue")
      channel.send { characteristic.lines.appendValue(value, to: &$0) }
    } else {
      send(.didUpdateValue(DidUpdateValue(id: id, characteristicId: text, value: value)))
    }
  }

  func write(_ request: WriteCharacteristic, _ message: ClientMessage) {
    if request.writeType == .withoutResponse { return writeWithoutResponse(request) }
    whenReady(request.id, message) { [self] (connection, table) in
      guard let characteristic = table.characteristic(request.characteristicId) else {
        return fail(message, connection.unknown(request.characteristicId) ?? .unknownAttribute)
      }
      writeWithResponse(request, message, characteristic, connection)
    }
  }

  private func writeWithResponse(
    _ request: WriteCharacteristic, _ message: ClientMessage, _ characteristic: AttributeTable.Characteristic,
    _ connection: Connection
  ) {
    let entry = connection.begin(
      .write, .attribute(characteristic.attribute.uuid), written: request.value.count)
    guard request.value.count <= ProtocolLimits.maximumValueLength else {
      connection.finish(entry, error: .valueTooLong)
      return fail(message, .valueTooLong)
    }
    connection.radio.write(request.value, to: characteristic.attribute.handle, of: request.id) { [self] result in
      let error = result.failure
      connection.finish(entry, error: error)
      guard connection.state == .connected else { return }
      if let error { return fail(message, error) }
      if request.characteristicId == characteristic.id {
        Log.info("session", "\(number) < didWriteValue")
        channel.send { characteristic.lines.appendWritten(to: &$0) }
      } else {
        send(.didWriteValue(DidWriteValue(id: request.id, characteristicId: request.characteristicId)))
      }
    }
  }

  /// Never answered; taken by the radio in order with everything else, as soon as there is room.
  private func writeWithoutResponse(_ request: WriteCharacteristic) {
    guard let connection = connected(request.id) else { return logDropped(request, "not connected") }
    var entry: ActivityEntry?
    connection.requests.submit(cost: request.value.count + 64) { [self] table in
      guard let characteristic = (try? table.get())?.characteristic(request.characteristicId) else {
        logDropped(request, table.failure?.text ?? "unknown attribute")
        connection.tookWrite()
        return true
      }
      // Called again when it had to wait.
      let known =
        entry ?? connection.begin(.write, .attribute(characteristic.attribute.uuid), written: request.value.count)
      entry = known
      if let error = refusal(of: request, characteristic) {
        connection.finish(known, error: error)
        logDropped(request, error.text)
        connection.tookWrite()
        return true
      }
      guard connection.radio.canSendWriteWithoutResponse(to: request.id) else { return false }
      connection.radio.writeWithoutResponse(
        request.value, to: characteristic.attribute.handle, of: request.id
      ) { [self] result in
        connection.finish(known, error: result.failure)
        if let error = result.failure { logDropped(request, error.text) }
        connection.tookWrite()
      }
      return true
    }
  }

  private func refusal(
    of request: WriteCharacteristic, _ characteristic: AttributeTable.Characteristic
  ) -> BluetoothError? {
    guard characteristic.attribute.properties.contains(.writeWithoutResponse) else {
      return .operationNotSupported.saying("the characteristic has no Write Without Response property")
    }
    return request.value.count > ProtocolLimits.maximumValueLength ? .valueTooLong : nil
  }

  private func logDropped(_ request: WriteCharacteristic, _ reason: String) {
    let id = request.characteristicId.prefix(160)
    Log.notice("session", "\(name): write without response to \(id) dropped: \(reason)")
  }

  // MARK: Notifications

  func setNotify(_ request: SetNotify, _ message: ClientMessage) {
    whenReady(request.id, message) { [self] (connection, table) in
      guard let characteristic = table.characteristic(request.characteristicId) else {
        return fail(message, connection.unknown(request.characteristicId) ?? .unknownAttribute)
      }
      let operation: ActivityOperation = request.enabled ? .subscribe : .unsubscribe
      let entry = connection.begin(operation, .attribute(characteristic.attribute.uuid))
      guard !characteristic.attribute.properties.isDisjoint(with: .subscribable) else {
        connection.finish(entry, error: .attribute(0x06))
        return fail(message, .attribute(0x06))
      }
      let isOwnID = request.characteristicId == characteristic.id
      let subscriber = Subscription.Subscriber(
        connection: connection, otherID: isOwnID ? nil : request.characteristicId)
      connection.peripheral.subscription(to: characteristic).set(request.enabled, for: subscriber) {
        [self] (enabled, error) in
        connection.finish(entry, error: error)
        guard connection.state == .connected else { return }
        send(
          .didUpdateNotification(
            DidUpdateNotification(
              id: request.id, characteristicId: request.characteristicId, enabled: enabled, error: error?.unaskedFor)))
      }
    }
  }

  /// A `setNotify` that could not be read, `enabled` being absent or no bool.
  func refuseSetNotify(_ request: FailedRequest, _ error: MessageDecodingError) {
    guard case .field(let field, let problem, _) = error else { return }
    var holds = false
    if let id = request.id, let text = request.attributeId, let connection = connected(id),
      let characteristic = connection.peripheral.table?.characteristic(text)
    {
      let subscription = connection.peripheral.subscriptions[characteristic.attribute.handle]
      holds = subscription?.isSubscribed(connection) ?? false
    }
    let reason = BluetoothError.invalidParameters.saying("\(field): \(problem)")
    if let reply = request.reply(reason, isNotifying: holds) { send(reply) }
  }
}

extension BluetoothError {
  static let valueTooLong = attribute(0x0D)
}

extension CharacteristicProperties {
  fileprivate static let subscribable: Self = [
    .notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired,
  ]
}

extension Result {
  var failure: Failure? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
}
