import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  func connect(_ request: Connect) {
    let id = request.id
    if let connection = connections[id] {
      // Connected: told again. Connecting: one answer, when it comes.
      if connection.state == .connected { tellConnected(connection) }
      return
    }
    guard let world = worlds.first(where: { $0.knows(id) }) else {
      return fail(.connect(request), worlds.state == .poweredOn ? .unknownPeripheral : .radioOff)
    }
    guard world.isOn else { return fail(.connect(request), .radioOff) }
    let connection = world.shares.connect(id, for: self)
    connections[id] = connection
    if connection.state == .connected { tellConnected(connection) }
  }

  /// Always ends in `didDisconnect`, whatever there was; what is pending gets no answer, as with CoreBluetooth.
  func cancel(_ request: Cancel) {
    connections.removeValue(forKey: request.id)?.release()
    tellDisconnected(request.id, nil)
  }

  func tellConnected(_ connection: Connection) {
    send(.didConnect(DidConnect(id: connection.id)))
    tellWriteLength(connection)
  }

  /// The hold has ended by itself.
  func connectionEnded(_ connection: Connection, _ error: BluetoothError?) {
    guard forget(connection) else { return }
    tellDisconnected(connection.id, error)
  }

  /// What stood has ended, what was wanted has failed.
  func connectionLost(_ connection: Connection, _ error: BluetoothError) {
    guard connection.hadLink else { return connectionFailed(connection, error) }
    connectionEnded(connection, error == .radioOff ? .peripheralDisconnected : error)
  }

  /// The world that the client is in now does not have the peripheral.
  func loseConnection(_ connection: Connection) {
    connection.peripheral.remove(connection)
    connection.end(.peripheralDisconnected, isAskedFor: false)
    connection.release()
    connectionLost(connection, .unknownPeripheral)
  }

  private func connectionFailed(_ connection: Connection, _ error: BluetoothError) {
    guard forget(connection) else { return }
    send(.didFailConnect(DidFailConnect(id: connection.id, error: error)))
  }

  private func forget(_ connection: Connection) -> Bool {
    guard connections[connection.id] === connection else { return false }
    connections[connection.id] = nil
    return true
  }

  private func tellDisconnected(_ id: PeripheralIdentifier, _ error: BluetoothError?) {
    let timestamp = DidDisconnect.timestamp(unixTime: UnixTime.now)
    send(.didDisconnect(DidDisconnect(id: id, error: error, timestamp: timestamp)))
  }

  /// When it has become known or changed.
  func tellWriteLength(_ connection: Connection) {
    guard features.contains(.mtu) else { return }
    let length = connection.radio.maximumWriteLength(of: connection.id)
    guard connection.toldWriteLength != length else { return }
    connection.toldWriteLength = length
    send(.didUpdateMTU(DidUpdateMTU(id: connection.id, maximumWriteValueLength: length)))
  }

  func readRSSI(_ request: ReadRSSI, _ message: ClientMessage) {
    guard let connection = connected(request.id) else { return fail(message, .noConnection) }
    // Devices of the client's own have just taken the place of others: the link to this one is being made.
    guard connection.peripheral.link == .connected else {
      return whenReady(request.id, message) { [self] connection, _ in readRSSI(request, message, over: connection) }
    }
    readRSSI(request, message, over: connection)
  }

  private func readRSSI(_ request: ReadRSSI, _ message: ClientMessage, over connection: Connection) {
    connection.began()
    connection.radio.readRSSI(of: request.id) { [self] result in
      connection.finished()
      guard connection.state == .connected else { return }
      switch result {
      case .success(let rssi): send(.didReadRSSI(DidReadRSSI(id: request.id, rssi: rssi)))
      case .failure(let error): fail(message, error)
      }
    }
  }
}
