import BridgeIO
import BridgeProtocol
import CCoreBluetooth
import Foundation

// What the service reports: on the app's queue, the state first, then the delegate.
extension CBPeripheralManager {
  func didUpdateState(_ new: AdapterState) {
    set(state: CBManagerState(rawValue: new.rawValue)!)
    if new != .poweredOn { local.withLock { $0.updates.reset() } }
    if new.rawValue < AdapterState.poweredOff.rawValue {
      local.withLock { state in
        state.published.removeAll()
        (state.wantsAdvertising, state.isAdvertising) = (false, false)
      }
    }
    delegate?.peripheralManagerDidUpdateState(self)
  }

  func willRestore(_ restored: DidRestorePeripheral) {
    let services = local.withLock { state in
      state.isAdvertising = restored.advertisement != nil
      state.wantsAdvertising = state.isAdvertising
      return state.published.restore(restored.services)
    }
    var dictionary: [String: Any] = [:]
    if !services.isEmpty { dictionary[CBPeripheralManagerRestoredStateServicesKey] = services }
    if let advertisement = restored.advertisement {
      dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] = advertisement.startDictionary
    }
    delegate?.peripheralManager(self, willRestoreState: dictionary)
  }

  func didReceive(_ event: PeripheralEvent) {
    switch event {
    case .didReceiveRead(let read): received(read)
    case .didReceiveWrite(let write): received(write)
    case .didUpdateSubscribers: updated()
    case .didSubscribe(let event): subscribed(event)
    case .didUnsubscribe(let event): unsubscribed(event)
    case .didPublishService(let reply): published(reply)
    case .didStartAdvertising(let reply): startedAdvertising(reply)
    case .didPublishL2CAP(let reply):
      delegate?.peripheralManager(self, didPublishL2CAPChannel: reply.psm, error: reply.error?.appError)
    case .didUnpublishL2CAP(let reply):
      delegate?.peripheralManager(self, didUnpublishL2CAPChannel: reply.psm, error: reply.error?.appError)
    case .hostingState, .didRestorePeripheral, .didAcceptL2CAP: break
    }
  }

  private func published(_ reply: DidPublishService) {
    let service = local.withLock { $0.published.confirm(reply.service, isAdded: reply.error == nil) }
    guard let service else { return }
    delegate?.peripheralManager(self, didAdd: service, error: reply.error?.appError)
  }

  private func startedAdvertising(_ reply: DidStartAdvertising) {
    local.withLock { state in
      // It may have been stopped meanwhile.
      state.isAdvertising = state.wantsAdvertising && reply.error == nil
      if reply.error != nil { state.wantsAdvertising = false }
    }
    delegate?.peripheralManagerDidStartAdvertising(self, error: reply.error?.appError)
  }

  // MARK: Centrals

  private func find(_ told: HostedCentral, _ number: Int) -> (CBCentral, CBMutableCharacteristic)? {
    local.withLock { state in
      guard let characteristic = state.published.characteristic(number) else { return nil }
      return (state.centrals.central(told), characteristic)
    }
  }

  private func subscribed(_ event: DidSubscribe) {
    guard let (central, characteristic) = find(event.central, event.characteristic) else { return }
    let others = (characteristic.subscribedCentrals ?? []).filter { $0 !== central }
    characteristic.set(subscribedCentrals: others + [central])
    delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
  }

  private func unsubscribed(_ event: DidUnsubscribe) {
    guard let (central, characteristic) = find(event.central, event.characteristic) else { return }
    characteristic.set(subscribedCentrals: (characteristic.subscribedCentrals ?? []).filter { $0 !== central })
    delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
  }

  private func received(_ read: DidReceiveRead) {
    guard let (central, characteristic) = find(read.central, read.characteristic), let delegate else {
      return refuse(read.request)
    }
    delegate.peripheralManager(
      self,
      didReceiveRead: CBATTRequest(
        central: central, characteristic: characteristic, offset: read.offset, value: nil,
        ticket: RequestTicket(read.request, .read)))
  }

  private func received(_ write: DidReceiveWrite) {
    let ticket = RequestTicket(write.request, .write)
    var requests: [CBATTRequest] = []
    for part in write.writes {
      guard let (central, characteristic) = find(write.central, part.characteristic) else { continue }
      requests.append(
        CBATTRequest(
          central: central, characteristic: characteristic, offset: part.offset, value: Data(part.value),
          ticket: ticket))
    }
    guard requests.count == write.writes.count, !requests.isEmpty, let delegate else { return refuse(write.request) }
    delegate.peripheralManager(self, didReceiveWrite: requests)
  }

  /// Nobody here can answer: better told than waited for.
  private func refuse(_ request: Int) {
    send(.respond(RespondToRequest(request: request, result: UInt8(CBATTError.unlikelyError.rawValue))))
  }

  private func updated() {
    guard local.withLock({ $0.updates.finish() }) else { return }
    delegate?.peripheralManagerIsReady(toUpdateSubscribers: self)
  }

  func didOpen(_ pipe: L2CAPPipe, _ accepted: DidAcceptL2CAP) {
    let central = local.withLock { $0.centrals.central(accepted.central) }
    let channel = CBL2CAPChannel(peer: central, psm: accepted.psm, pipe: pipe)
    delegate?.peripheralManager(self, didOpen: channel, error: nil)
  }
}
