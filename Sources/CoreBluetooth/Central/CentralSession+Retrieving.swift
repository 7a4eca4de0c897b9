import BridgeIO
import BridgeProtocol
import Dispatch

/// A question to the service whose asker waits, blocking, for the answer.
final class Retrieval: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let result = Lock<[RetrievedPeripheral]>([])

  /// How long an app's thread is held up at most.
  private static let limit = DispatchTimeInterval.seconds(3)

  func finish(_ peripherals: [RetrievedPeripheral]) {
    result.withLock { $0 = peripherals }
    done.signal()
  }

  /// Empty if the answer does not come in time.
  func wait() -> [RetrievedPeripheral] {
    _ = done.wait(timeout: .now() + Self.limit)
    return result.withLock { $0 }
  }
}

extension CentralSession {
  func retrieve(_ ids: [PeripheralIdentifier], connectedWith services: [BluetoothUUID], _ retrieval: Retrieval) {
    guard connection.features.contains(.retrieve) else {
      return retrieval.finish(memory.peripherals(ids) + linked(with: services))
    }
    retrievalCount += 1
    retrievals[retrievalCount] = retrieval
    keepPace()
    send(
      .retrievePeripherals(
        RetrievePeripherals(requestId: retrievalCount, peripheralIds: ids, connectedWithServices: services)))
  }

  /// A provider that cannot be asked: of connections only our own are known.
  private func linked(with services: [BluetoothUUID]) -> [RetrievedPeripheral] {
    links.values.filter { link in
      link.phase == .connected && memory[link.id].map { !$0.services.isDisjoint(with: services) } ?? false
    }.map { RetrievedPeripheral(id: $0.id, name: memory[$0.id]?.name ?? "") }
  }

  func retrieved(_ reply: DidRetrievePeripherals) {
    retrievals.removeValue(forKey: reply.requestId)?.finish(reply.peripherals)
  }

  /// The service has gone: nobody may wait for it.
  func failRetrievals() {
    for retrieval in retrievals.values { retrieval.finish([]) }
    retrievals = [:]
  }
}
