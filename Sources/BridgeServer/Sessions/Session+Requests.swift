import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  /// One message, in the order in which they came.
  func handle(_ message: ClientMessage) {
    switch message {
    case .read(let request): read(request, message)
    case .write(let request): write(request, message)
    case .l2capWrite(let request): writeChannel(request)
    case .hello(let hello): welcome(hello)
    case .scan(let request): startScan(request)
    case .stopScan: stopScan()
    case .connect(let request): connect(request)
    case .cancel(let request): cancel(request)
    case .readRSSI(let request): readRSSI(request, message)
    case .discoverServices(let request): discoverServices(request, message)
    case .discoverIncludedServices(let request): discoverIncludedServices(request, message)
    case .discoverCharacteristics(let request): discoverCharacteristics(request, message)
    case .discoverDescriptors(let request): discoverDescriptors(request, message)
    case .readDescriptor(let request): readDescriptor(request, message)
    case .writeDescriptor(let request): writeDescriptor(request, message)
    case .setNotify(let request): setNotify(request, message)
    case .openL2CAP(let request): openChannel(request, message)
    case .l2capClose(let request): closeChannel(request)
    case .l2capPause(let request): pauseChannel(request)
    case .peripheral(let request): host(request, message)
    case .retrievePeripherals(let request): retrieve(request)
    case .registerForConnectionEvents(let request): connectionEvents = ConnectionEventFilter(request)
    case .setMockConfiguration(let request): setMockConfiguration(request)
    case .clearMockConfiguration: clearMockConfiguration()
    case .status, .devices, .setMode, .setFault, .clearFaults, .faults, .enterPasskey:
      answerControl(message)
    case .unknown(let type): Log.info("session", "\(name): \(type) is not known and ignored")
    }
  }

  /// Runs `body` with the connection and the attribute table, once the table is known and requests before it no longer
  /// wait; answers the request with an error where there is none.
  func whenReady(
    _ id: PeripheralIdentifier, _ request: ClientMessage,
    _ body: @escaping @BridgeQueue (Connection, AttributeTable) -> Void
  ) {
    guard let connection = connected(id) else { return fail(request, .noConnection) }
    connection.requests.submit { [self] table in
      switch table {
      case .success(let table): body(connection, table)
      case .failure(let error): fail(request, error)
      }
      return true
    }
  }

  func connected(_ id: PeripheralIdentifier) -> Connection? {
    guard let connection = connections[id], connection.state == .connected else { return nil }
    return connection
  }
}

extension Connection {
  /// What the radio has to say of an attribute that is in no table.
  func unknown(_ attribute: String) -> BluetoothError? { radio.refusal(ofUnknown: attribute, of: id) }
}

extension BluetoothError {
  /// To a client that has not let go of its connection: what the service cancelled was lost with the link.
  var unaskedFor: BluetoothError { self == .operationCancelled ? .peripheralDisconnected : self }

  static let noConnection = notConnected.saying("Not connected")
  static let unknownPeripheral = unknownDevice.saying("Unknown peripheral")
  /// For what is read or written.
  static let unknownAttribute = attribute(0x01).saying("Unknown attribute")
  /// For what is discovered in.
  static let unknownObject = invalidHandle.saying("Unknown attribute")
  static let radioOff = connectionFailed.saying("Bluetooth is not powered on")
}
