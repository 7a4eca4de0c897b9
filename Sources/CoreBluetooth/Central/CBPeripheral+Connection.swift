import BridgeProtocol
import CCoreBluetooth

// The state of the connection, as the app sees it. What it asks for shows at once; what the service tells shows on the
// app's queue, right before its delegate hears of it.
extension CBPeripheral {
  enum Beginning {
    case begun(PeripheralLink)
    /// Connected already.
    case standing(PeripheralLink)
    /// On its way already.
    case pending
  }

  func beginConnection(_ options: ConnectOptions, writeQueueDepth: Int) -> Beginning {
    peripheral.withLock { state in
      if let link = state.link { return state.state == .connected ? .standing(link) : .pending }
      let link = PeripheralLink(self, options, writeQueueDepth: writeQueueDepth)
      state.link = link
      state.state = .connecting
      return .begun(link)
    }
  }

  /// - Returns: the connection to end; nil if there is none.
  func cancelConnection() -> PeripheralLink? {
    peripheral.withLock { state in
      guard let link = state.link else { return nil }
      state.cancelled.append(link)
      state.link = nil
      state.state = state.state == .connected ? .disconnecting : .disconnected
      return link
    }
  }

  func isConnected(by link: PeripheralLink) -> Bool {
    peripheral.withLock { $0.link === link && $0.state == .connected }
  }

  /// - Returns: whether the app waits for it.
  func didConnect(by link: PeripheralLink) -> Bool {
    change { state in
      guard state.link === link, state.state == .connecting else { return (false, []) }
      state.state = .connected
      return (true, state.forgetAttributes())
    }
  }

  enum Ending {
    /// As the app wanted.
    case asked
    case unasked
  }

  /// A connection is over.
  ///
  /// - Parameter next: what follows it by itself.
  /// - Returns: nil if the app knows it to be over.
  func didEnd(_ link: PeripheralLink, next: PeripheralLink? = nil) -> Ending? {
    change { state in
      if let index = state.cancelled.firstIndex(where: { $0 === link }) {
        state.cancelled.remove(at: index)
        if state.link == nil { state.state = .disconnected }
        return (.asked, state.state == .connected ? [] : state.forgetAttributes())
      }
      guard state.link === link else { return (nil, []) }
      state.link = next
      state.state = next == nil ? .disconnected : .connecting
      let services = state.services
      let characteristics = state.forgetAttributes()
      // Who connects again by itself keeps showing what it had, until it is connected.
      if next != nil { state.services = services }
      return (.unasked, characteristics)
    }
  }

  /// The radio or the service has gone, and every connection with it.
  func reset() {
    change { state in
      state.link = nil
      state.cancelled = []
      state.state = .disconnected
      return ((), state.forgetAttributes())
    }
  }

  /// Changes the state; the characteristics that it returns notify no more.
  private func change<Result>(_ body: (inout State) -> (Result, [CBCharacteristic])) -> Result {
    let (result, characteristics) = peripheral.withLock(body)
    for characteristic in characteristics { characteristic.set(isNotifying: false) }
    return result
  }

  /// An earlier run of the app had this connection.
  func restore(_ link: PeripheralLink, _ held: RestoredPeripheral) {
    _ = update(name: held.name)
    peripheral.withLock { state in
      state.link = link
      state.state = held.isConnected ? .connected : .connecting
    }
    if held.isConnected, !held.services.isEmpty { restore(held.services) }
  }

  // MARK: Name and authorisation

  /// - Returns: whether there was another name before.
  func update(name: String) -> Bool {
    peripheral.withLock { state in
      guard !name.isEmpty, state.name != name else { return false }
      defer { state.name = name }
      return state.name != nil
    }
  }

  func set(isANCSAuthorized: Bool) { peripheral[\.isANCSAuthorized] = isANCSAuthorized }
}

extension CBPeripheral.State {
  /// - Returns: the characteristics that may think that they notify.
  fileprivate mutating func forgetAttributes() -> [CBCharacteristic] {
    defer { attributes = [:] }
    services = nil
    return attributes.values.compactMap { $0 as? CBCharacteristic }
  }
}
