import BridgeIO
import BridgeProtocol
import CoreBluetooth
import Testing

@Suite struct QueueTests {
  @Test("QUEUE-1: All delegate calls come on the queue given to the manager")
  func queue1() async throws {
    let fixture = CentralFixture()
    #expect(try await fixture.recorder.next(.didUpdateState).isOnQueue)
    let peripheral = try await fixture.connected()
    peripheral.readRSSI()
    await fixture.provider.send(.didReadRSSI(DidReadRSSI(id: .meter, rssi: -40)))
    #expect(try await fixture.recorder.next(.didReadRSSI).isOnQueue)
  }

  @Test("QUEUE-1: Without a queue it is the main queue")
  func queue1main() async throws {
    let provider = ScriptedProvider()
    let recorder = OlderRecorder()
    DispatchQueue.main.setSpecific(key: Recorder.queueKey, value: true)
    let central = CBCentralManager(
      delegate: recorder, queue: nil, endpoint: provider.endpoint, timing: CentralFixture.timing(provider))
    #expect(try await recorder.next(.didUpdateState).isOnQueue)
    withExtendedLifetime(central) {}
  }

  @Test("QUEUE-2: No callback runs inside the call that causes it")
  func queue2() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    fixture.queue.sync {
      fixture.central.connect(peripheral)
      fixture.central.cancelPeripheralConnection(peripheral)
      #expect(fixture.recorder.pending.isEmpty)
    }
  }

  @Test("QUEUE-3: Calls are taken from any thread")
  func queue3() async throws {
    let fixture = try await CentralFixture.on()
    let held = Held(fixture)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20 {
            held.object.central.scanForPeripherals(withServices: nil)
            held.object.central.stopScan()
          }
        }
      }
    }
    #expect(fixture.central.isScanning == false)
    _ = await fixture.requestsSoFar()
  }

  @Test("QUEUE-4: Each of two quick notifications shows its own value")
  func queue4() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send([Wire.value([1]), Wire.value([2])])
    #expect(try await fixture.recorder.next(.didUpdateValue).value == Data([1]))
    #expect(try await fixture.recorder.next(.didUpdateValue).value == Data([2]))
    #expect(meter.current.value == Data([2]))
  }

  @Test("QUEUE-4: What a callback reports shows from that callback on")
  func queue4state() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    fixture.central.connect(peripheral)
    _ = await fixture.provider.next("connect")
    fixture.queue.suspend()
    await fixture.provider.send(.didConnect(DidConnect(id: .meter)))
    #expect(peripheral.state == .connecting)
    fixture.queue.resume()
    #expect(try await fixture.recorder.next(.didConnect).peripheralState == .connected)
  }

  @Test("An app whose queue is blocked heaped up notifications without bound")
  func blockedQueue() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    fixture.queue.suspend()
    let count = 20 * CallbackQueue.capacity
    let provider = fixture.provider
    for start in stride(from: 0, to: count, by: 100) {
      await provider.send((start..<start + 100).map { Wire.value([UInt8($0 & 0xFF)]) })
    }
    let queue = fixture.central.callbacks
    while queue.count < CallbackQueue.capacity { await Task.yield() }
    // What was read in one turn is there at most; nothing more comes.
    for _ in 0..<100 { await Task.yield() }
    #expect(queue.count == CallbackQueue.capacity)
    fixture.queue.resume()
    for number in 0..<count {
      #expect(try await fixture.recorder.next(.didUpdateValue).value == Data([UInt8(number & 0xFF)]))
    }
    withExtendedLifetime(meter) {}
  }

  @Test("A service that goes while the app's queue is blocked is found again")
  func serviceLostWhileBlocked() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    let (provider, callbacks) = (fixture.provider, fixture.central.callbacks)
    fixture.queue.suspend()
    await provider.send((0..<2 * CallbackQueue.capacity).map { _ in Wire.value([1]) })
    while callbacks.count < CallbackQueue.capacity { await Task.yield() }
    await provider.hangUp(listening: false)
    // The loss and the state after it wait too.
    while callbacks.count < CallbackQueue.capacity + 2 { await Task.yield() }
    // What the app asks for meanwhile finds no socket.
    let retrieved = await fixture.blocking {
      $0.retrievePeripherals(withIdentifiers: [PeripheralIdentifier.meter.uuidForTests])
    }
    #expect(retrieved == [])
    await provider.listen()
    while await !provider.isConnected { await Task.yield() }
    fixture.queue.resume()
    while try await fixture.recorder.next().managerState != .poweredOn {}
    try await fixture.connect(meter.peripheral)
    #expect(meter.peripheral.state == .connected)
  }

  @Test("Who waits for room for writes while the queue lags gets it")
  func waitingOnALaggingQueue() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    let provider = fixture.provider
    let (peripheral, control) = (Held(meter.peripheral), Held(meter.control))
    let callbacks = fixture.central.callbacks
    fixture.queue.suspend()
    await provider.send((0..<2 * CallbackQueue.capacity).map { _ in Wire.value([1]) })
    while callbacks.count < CallbackQueue.capacity { await Task.yield() }
    while peripheral.object.canSendWriteWithoutResponse {
      peripheral.object.writeValue(Data([1]), for: control.object, type: .withoutResponse)
    }
    await provider.send(.didTakeWrites(DidTakeWrites(id: .meter, count: 20)))
    // An app may look again and again, and hold up its queue with that.
    while !peripheral.object.canSendWriteWithoutResponse { await Task.yield() }
    fixture.queue.resume()
    withExtendedLifetime(meter) {}
  }

  @Test("Retrieving from a queue that lags gets its answer")
  func retrievingFromALaggingQueue() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    let provider = fixture.provider
    let central = Held(fixture.central!)
    let found = await withCheckedContinuation { (continuation: CheckedContinuation<[UUID], Never>) in
      fixture.queue.async {
        BridgeQueue.async { provider.send((0..<2 * CallbackQueue.capacity).map { _ in Wire.value([1]) }) }
        while central.object.callbacks.count < CallbackQueue.capacity { usleep(1000) }
        // The app's own queue waits here for the answer.
        Task {
          guard case .retrievePeripherals(let request)? = await provider.next("retrievePeripherals") else { return }
          await provider.send(
            .didRetrievePeripherals(
              DidRetrievePeripherals(
                requestId: request.requestId, peripherals: [RetrievedPeripheral(id: .meter, name: "Meter")])))
        }
        continuation.resume(
          returning: central.object.retrievePeripherals(withIdentifiers: [PeripheralIdentifier.meter.uuidForTests])
            .map(\.identifier))
      }
    }
    #expect(found == [PeripheralIdentifier.meter.uuidForTests])
    withExtendedLifetime(meter) {}
  }

  @Test("QUEUE-5: Results come in the order of the requests")
  func queue5() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.readValue(for: meter.current)
    meter.peripheral.writeValue(Data([1]), for: meter.control, type: .withResponse)
    meter.peripheral.readRSSI()
    #expect(await fixture.requestsSoFar() == ["read", "write", "readRSSI"])
    await fixture.provider.send([
      Wire.value([7]), Wire.written(), .didReadRSSI(DidReadRSSI(id: .meter, rssi: -40)),
    ])
    #expect(try await fixture.eventsSoFar() == [.didUpdateValue, .didWriteValue, .didReadRSSI])
  }

  @Test("QUEUE-6: Callbacks are one after another on a concurrent queue too")
  func queue6() async throws {
    let provider = ScriptedProvider()
    let recorder = OlderRecorder()
    let overlap = OverlapCheck()
    recorder.onEvent { _ in overlap.pass() }
    let central = CBCentralManager(
      delegate: recorder, queue: DispatchQueue(label: "app", attributes: .concurrent), endpoint: provider.endpoint,
      timing: CentralFixture.timing(provider))
    _ = try await recorder.next(.didUpdateState)
    for number in 0..<200 {
      await provider.send(.connectionEvent(ConnectionEvent(id: .meter, isConnected: number % 2 == 0)))
    }
    for number in 0..<200 {
      let event = try await recorder.next(.connectionEvent)
      #expect(event.connectionEvent == (number % 2 == 0 ? .peerConnected : .peerDisconnected))
    }
    #expect(!overlap.hasOverlapped)
    withExtendedLifetime(central) {}
  }

  @Test("QUEUE-7: Delegates are held weakly; another one hears of the next event")
  func queue7() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    var passing: OlderRecorder? = OlderRecorder()
    peripheral.delegate = passing
    #expect(peripheral.delegate === passing)
    passing = nil
    #expect(peripheral.delegate == nil)
    await fixture.provider.send(.didUpdateName(DidUpdateName(id: .meter, name: "Lost")))
    #expect(try await fixture.eventsSoFar() == [])
    peripheral.delegate = fixture.recorder
    await fixture.provider.send(.didUpdateName(DidUpdateName(id: .meter, name: "Told")))
    #expect(try await fixture.recorder.next(.didUpdateName).peripheral?.name == "Told")
  }

  @Test("QUEUE-8: A manager that nobody keeps lets go of everything")
  func queue8() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    fixture.central = nil
    #expect(await fixture.provider.isLeft())
    #expect(fixture.recorder.pending.isEmpty)
    withExtendedLifetime(peripheral) {}
  }

  @Test("QUEUE-9: One device is one object")
  func queue9() async throws {
    let fixture = try await CentralFixture.on()
    let first = try await fixture.discovered()
    let second = try await fixture.discovered()
    #expect(first === second)
    fixture.central.connect(first)
    await fixture.provider.send(.didConnect(DidConnect(id: .meter)))
    #expect(try await fixture.recorder.next(.didConnect).peripheral === first)
  }

  @Test("QUEUE-10: A peripheral that was only found goes unless the app keeps it")
  func queue10() async throws {
    let fixture = try await CentralFixture.on()
    weak var peripheral: CBPeripheral?
    do { peripheral = try await fixture.discovered() }
    #expect(try await fixture.eventsSoFar() == [])
    fixture.queue.sync {}
    #expect(peripheral == nil)
  }

  @Test("QUEUE-11: Nothing is delivered for a connection after its end")
  func queue11() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send([Wire.disconnected(.peripheralDisconnected), Wire.value([1]), Wire.written()])
    #expect(try await fixture.eventsSoFar() == [.didDisconnect])
    #expect(meter.current.value == nil)
  }
}

/// Whether calls ran at the same time.
private final class OverlapCheck: @unchecked Sendable {
  private let lock = NSLock()
  private var inside = 0
  private var overlapped = false

  func pass() {
    lock.withLock {
      inside += 1
      if inside > 1 { overlapped = true }
    }
    sched_yield()
    lock.withLock { inside -= 1 }
  }

  var hasOverlapped: Bool { lock.withLock { overlapped } }
}
