import BridgeIO
import BridgeProtocol
import CoreBluetooth
import Testing

/// Batches of writes, as a scripted provider hands them over.
@Suite struct BatchTests {
  private let central = HostedCentral(id: .beacon, maximumUpdateValueLength: 20)

  /// A manager with two characteristics published at the provider, and their numbers.
  private func published(
    _ provider: ScriptedProvider, _ recorder: HostRecorder, _ characteristics: [CBMutableCharacteristic]
  ) async throws -> (CBPeripheralManager, [Int]) {
    let manager = CBPeripheralManager(
      delegate: recorder, queue: DispatchQueue(label: "app"), endpoint: provider.endpoint,
      timing: CentralFixture.timing(provider))
    _ = await provider.next("hostPeripheral")
    await provider.send(.peripheral(.hostingState(HostingState(state: .poweredOn))))
    _ = try await recorder.next(.didUpdateState)
    manager.add(.make("FFF0", characteristics))
    guard case .peripheral(.publishService(let request))? = await provider.next("publishService") else {
      throw NothingHappened()
    }
    await provider.send(.peripheral(.didPublishService(DidPublishService(service: request.service.id))))
    _ = try await recorder.next(.didAdd)
    return (manager, request.service.characteristics.map(\.id))
  }

  private func response(_ provider: ScriptedProvider) async throws -> RespondToRequest {
    guard case .peripheral(.respond(let response))? = await provider.next() else { throw NothingHappened() }
    return response
  }

  @Test("PERI-33, PERI-34, PERI-36: A batch is one unit with offsets: one answer for its first, any other is ignored")
  func batch() async throws {
    let (provider, recorder) = (ScriptedProvider(), HostRecorder())
    let characteristics = [CBMutableCharacteristic.make(), .make("FFF2")]
    let (manager, numbers) = try await published(provider, recorder, characteristics)
    for (request, result) in [(1, CBATTError.Code.success), (2, .insufficientResources)] {
      await provider.send(
        .peripheral(
          .didReceiveWrite(
            DidReceiveWrite(
              request: request, central: central,
              writes: [
                HostedWrite(characteristic: numbers[0], value: [1, 2]),
                HostedWrite(characteristic: numbers[0], offset: 2, value: [3]),
                HostedWrite(characteristic: numbers[1], value: [4]),
              ], withResponse: true))))
      let requests = try await recorder.next(.didReceiveWrite).requests
      #expect(requests.map(\.offset) == [0, 2, 0])
      #expect(requests.map(\.value) == [Data([1, 2]), Data([3]), Data([4])])
      #expect(requests.map { $0.characteristic === characteristics[0] } == [true, true, false])
      #expect(requests.allSatisfy { $0.central === requests[0].central })
      manager.respond(to: requests[0], withResult: result)
      manager.respond(to: requests[0], withResult: .unlikelyError)
      manager.respond(to: requests[2], withResult: .unlikelyError)
      let response = try await response(provider)
      #expect(response.request == request && Int(response.result) == result.rawValue && response.value.isEmpty)
    }
    // Nothing else went out.
    manager.stopAdvertising()
    manager.removeAllServices()
    #expect(await provider.next()?.type == "unpublishService")
  }

  @Test("PERI-33: A batch of which a part cannot be handed over is refused as a whole")
  func unknownPart() async throws {
    let (provider, recorder) = (ScriptedProvider(), HostRecorder())
    let (manager, numbers) = try await published(provider, recorder, [.make()])
    await provider.send(
      .peripheral(
        .didReceiveWrite(
          DidReceiveWrite(
            request: 5, central: central,
            writes: [
              HostedWrite(characteristic: numbers[0], value: [1]), HostedWrite(characteristic: 4711, value: [2]),
            ], withResponse: true))))
    let response = try await response(provider)
    #expect(response.request == 5 && Int(response.result) == CBATTError.Code.unlikelyError.rawValue)
    withExtendedLifetime(manager) {}
  }
}
