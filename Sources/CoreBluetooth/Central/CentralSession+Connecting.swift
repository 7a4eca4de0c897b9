import BridgeIO
import BridgeProtocol

extension CentralSession {
  // MARK: Wishes

  func connect(_ link: PeripheralLink) {
    guard link.phase == .connecting else { return }
    links[link.id] = link
    guard link.options.startDelay > .zero else { return sendConnect(link) }
    link.phase = .delayed
    link.delay = QueueTimer(after: link.options.startDelay) { [weak self] in
      guard link.phase == .delayed else { return }
      link.phase = .connecting
      self?.sendConnect(link)
    }
  }

  private func sendConnect(_ link: PeripheralLink) {
    let request = ClientMessage.connect(Connect(id: link.id, options: link.options.json))
    if slowCancels[link.id] == nil { send(request) } else { slowCancels[link.id]?.append(request) }
  }

  /// The app lets go. What was pending is told at once to be over, a connection when the service says so.
  func cancel(_ link: PeripheralLink) {
    let former = link.phase
    guard former != .ended, former != .cancelled, links[link.id] === link else { return }
    links[link.id] = nil
    if former == .connected {
      link.phase = .cancelled
      channels.closeAll(of: link, .operationCancelled)
    } else {
      finish(link, nil)
    }
    guard former != .delayed else { return }
    cancelled[link.id, default: []].append(link)
    sendCancel(link.id, after: former == .connected ? connection.endpoint.emulatedEnding(of: link.id).delay : .zero)
  }

  /// What is asked for behind a cancel that takes its time waits for it.
  private func sendCancel(_ id: PeripheralIdentifier, after delay: Duration) {
    let request = ClientMessage.cancel(Cancel(id: id))
    if slowCancels[id] != nil { return slowCancels[id]!.append(request) }
    guard delay > .zero else { return send(request) }
    slowCancels[id] = [request]
    QueueTimer(after: delay) { [weak self] in
      for request in self?.slowCancels.removeValue(forKey: id) ?? [] { self?.send(request) }
    }
  }

  // MARK: Answers

  func connected(_ id: PeripheralIdentifier) {
    guard let link = link(answered: id), link.phase == .connecting else { return }
    link.phase = .connected
    tell { $0.didConnect(link) }
  }

  func failed(_ id: PeripheralIdentifier, _ error: BluetoothError) {
    guard let link = link(answered: id), link.phase == .connecting else { return }
    links[id] = nil
    end(link)
    tell { $0.didFailToConnect(link, error) }
  }

  /// The link that an answer to a connect is for. bridge answers in order, so before the answer to a cancel comes
  /// nothing that concerns what was asked for behind it. Others may not answer a cancel at all.
  private func link(answered id: PeripheralIdentifier) -> PeripheralLink? {
    guard let waiting = cancelled[id] else { return links[id] }
    if connection.isBridge { return nil }
    cancelled[id] = nil
    for link in waiting { finish(link, nil) }
    return links[id]
  }

  func disconnected(_ event: DidDisconnect) {
    let id = event.id
    if var waiting = cancelled[id] {
      // An end with a reason crossed the cancel, which is answered all the same.
      guard event.error == nil else { return finish(waiting[0], event.timestamp) }
      finish(waiting.removeFirst(), event.timestamp)
      cancelled[id] = waiting.isEmpty ? nil : waiting
    } else if let link = links[id] {
      links[id] = nil
      end(link)
      lost(link, event)
    }
  }

  /// A connection ended that nobody had cancelled.
  private func lost(_ link: PeripheralLink, _ event: DidDisconnect) {
    guard link.options.reconnects || event.isReconnecting else {
      return tell { $0.didDisconnect(link, event, next: nil) }
    }
    let next = PeripheralLink(after: link)
    links[link.id] = next
    // Where the provider itself tries again, it must not be asked to.
    if !event.isReconnecting { sendConnect(next) }
    tell { $0.didDisconnect(link, event, next: next) }
  }

  /// A cancelled link is over: told once.
  private func finish(_ link: PeripheralLink, _ timestamp: Double?) {
    guard link.phase != .ended else { return }
    let error = link.phase == .cancelled ? connection.endpoint.emulatedEnding(of: link.id).error : nil
    end(link)
    let event = DidDisconnect(id: link.id, timestamp: timestamp)
    tell { $0.didDisconnect(link, event, next: nil, emulatedError: error) }
  }

  /// Nothing comes of it any more.
  func end(_ link: PeripheralLink, _ error: BluetoothError = .peripheralDisconnected) {
    link.phase = .ended
    channels.closeAll(of: link, error)
    link.delay?.cancel()
    link.delay = nil
  }
}
