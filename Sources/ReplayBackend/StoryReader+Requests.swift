import BridgeProtocol
import Radio

extension StoryReader {
  mutating func readRequest(_ message: ClientMessage, _ line: Recording.Line) {
    switch message {
    case .scan(let request): startScan(request, line)
    case .stopScan: stopScan()
    case .connect(let request): connect(request.id, line)
    case .cancel(let request): cancel(request.id, line)
    case .discoverServices(let request): discover(request.id, line)
    case .read(let request): attribute(request.characteristicId, .read, [], request.id, line)
    case .write(let request): write(request, line)
    case .readDescriptor(let request): attribute(request.descriptorId, .read, [], request.id, line)
    case .writeDescriptor(let request):
      attribute(request.descriptorId, .write, request.value, request.id, line)
    case .setNotify(let request): setNotify(request, line)
    case .readRSSI(let request):
      guard isConnected(request.id) else { return }
      let index = add(.init(line: line.number, at: line.at, operation: .readRSSI, peripheral: request.id))
      withModel(request.id) { $0.await("rssi", index) }
    case .openL2CAP(let request): openChannel(request, line)
    case .l2capWrite(let request): channel(request.channelId)?.write(request.value, at: line.at)
    case .l2capClose(let request): channel(request.channelId)?.closeByClient()
    default: break
    }
  }

  private func isConnected(_ id: PeripheralIdentifier) -> Bool { peripherals[id]?.link == .connected }

  private mutating func connect(_ id: PeripheralIdentifier, _ line: Recording.Line) {
    guard withModel(id, { $0.link }) == .none else { return }
    let index = add(.init(line: line.number, at: line.at, operation: .connect, peripheral: id))
    withModel(id) {
      $0.link = .connecting
      $0.connect = index
    }
  }

  private mutating func cancel(_ id: PeripheralIdentifier, _ line: Recording.Line) {
    let wasIdle = withModel(id) { $0.link } == .none
    let left = withModel(id) { model in
      model.cancels += 1
      return model.endLink()
    }
    withdraw(left)
    if !wasIdle { _ = add(.init(line: line.number, at: line.at, operation: .disconnect, peripheral: id)) }
  }

  /// The first discovery on a link makes the service read the table; it answers the others from that.
  private mutating func discover(_ id: PeripheralIdentifier, _ line: Recording.Line) {
    guard isConnected(id) else { return }
    let isAsked = withModel(id) { !$0.hasTable && !$0.isPending("services") }
    let index =
      isAsked ? add(.init(line: line.number, at: line.at, operation: .discoverServices, peripheral: id)) : nil
    withModel(id) { $0.await("services", index) }
  }

  // MARK: Values

  private mutating func attribute(
    _ text: String, _ operation: RecordedRequest.Operation, _ value: [UInt8], _ id: PeripheralIdentifier,
    _ line: Recording.Line
  ) {
    guard isConnected(id) else { return }
    let answer = (operation == .read ? "read " : "write ") + text
    guard let attribute = table(of: id)?.attribute(text), value.count <= ProtocolLimits.maximumValueLength,
      operation == .read || attribute.uuid != .clientCharacteristicConfiguration
    else { return withModel(id) { $0.await(answer, nil) } }
    let index = add(
      .init(
        line: line.number, at: line.at, operation: operation, peripheral: id, attribute: attribute, value: value))
    withModel(id) { $0.await(answer, index) }
  }

  private mutating func write(_ request: WriteCharacteristic, _ line: Recording.Line) {
    guard request.writeType == .withoutResponse else {
      return attribute(request.characteristicId, .write, request.value, request.id, line)
    }
    guard isConnected(request.id), let attribute = table(of: request.id)?.attribute(request.characteristicId),
      attribute.properties.isEmpty || attribute.properties.contains(.writeWithoutResponse),
      request.value.count <= ProtocolLimits.maximumValueLength
    else { return }
    let index = add(
      .init(
        line: line.number, at: line.at, operation: .writeWithoutResponse, peripheral: request.id,
        attribute: attribute, value: request.value))
    withModel(request.id) { $0.lastWriteWithoutResponse = index }
  }

  private mutating func setNotify(_ request: SetNotify, _ line: Recording.Line) {
    guard isConnected(request.id) else { return }
    let answer = "notify " + request.characteristicId
    guard let attribute = table(of: request.id)?.attribute(request.characteristicId) else {
      return withModel(request.id) { $0.await(answer, nil) }
    }
    let isSettled = withModel(request.id) {
      !$0.isPending(answer) && $0.notifying.contains(ObjectIdentifier(attribute)) == request.enabled
    }
    let index =
      isSettled
      ? nil
      : add(
        .init(
          line: line.number, at: line.at, operation: .setNotify(request.enabled), peripheral: request.id,
          attribute: attribute))
    withModel(request.id) { $0.await(answer, index) }
  }

  // MARK: Channels

  private mutating func openChannel(_ request: OpenL2CAP, _ line: Recording.Line) {
    guard isConnected(request.id) else { return }
    let isAsked =
      (1...0xFF).contains(request.psm) && withModel(request.id) { !$0.openings.contains { $0.psm == request.psm } }
    let index =
      isAsked
      ? add(
        .init(line: line.number, at: line.at, operation: .openChannel(psm: request.psm), peripheral: request.id))
      : nil
    withModel(request.id) { $0.openings.append((request.psm, index)) }
  }
}

extension BluetoothUUID {
  fileprivate static let clientCharacteristicConfiguration = BluetoothUUID(short: 0x2902)
}
