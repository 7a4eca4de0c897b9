import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// Several clients and one characteristic's notifications.
@Suite @BridgeQueue struct SubscriptionTests {
  private func setNotify(_ enabled: Bool) -> ClientMessage {
    .setNotify(SetNotify(id: .meter, characteristicId: Meter.currentID, enabled: enabled))
  }

  private func enabled(_ client: LineClient) async throws -> Bool? {
    guard case .didUpdateNotification(let reply)? = try await client.next() else { return nil }
    return reply.error == nil ? reply.enabled : nil
  }

  private func notifications(_ service: ServiceFixture) -> [Bool] {
    service.radio.commands.compactMap {
      guard case .setNotify(let enabled, Meter.current) = $0 else { return nil }
      return enabled
    }
  }

  /// Until the service has all that the client sent.
  private func synchronize(_ client: LineClient) async throws {
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await client.next()?.type == "didReadRSSI")
  }

  @Test func theRadioIsAskedOnceAndTheLastOneEndsIt() async throws {
    let service = try ServiceFixture()
    let first = try await service.connectedClient()
    let second = try await service.connectedClient(pid: 2)
    first.send(setNotify(true))
    #expect(try await enabled(first) == true)
    second.send(setNotify(true))
    #expect(try await enabled(second) == true)
    service.radio.notify([1], Meter.current, of: .meter)
    #expect(try await first.next()?.type == "didUpdateValue")
    #expect(try await second.next()?.type == "didUpdateValue")

    first.send(setNotify(false))
    #expect(try await enabled(first) == false)
    service.radio.notify([2], Meter.current, of: .meter)
    #expect(try await second.next()?.type == "didUpdateValue")
    second.send(setNotify(false))
    #expect(try await enabled(second) == false)
    #expect(first.pendingLines == 0)
    #expect(notifications(service) == [true, false])
    await service.stop()
  }

  @Test func settingWhatHoldsAlreadyIsAnsweredWithoutTheRadio() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    client.send(setNotify(false))
    #expect(try await enabled(client) == false)
    #expect(notifications(service).isEmpty)
    await service.stop()
  }

  @Test func aNotificationThatOvertakesTheAnswerIsDelivered() async throws {
    let service = try ServiceFixture()
    var answer: RadioCompletion<Void>?
    service.radio.onSetNotify = { answer = $2 }
    let client = try await service.connectedClient()
    client.send(setNotify(true))
    #expect(await eventually { answer != nil })
    service.radio.notify([7], Meter.current, of: .meter)
    answer?(.success(()))
    #expect(try await client.next()?.type == "didUpdateValue")
    #expect(try await enabled(client) == true)
    await service.stop()
  }

  @Test func unsubscribingWhileAnothersSubscriptionIsPendingKeepsIt() async throws {
    let service = try ServiceFixture()
    var answers: [RadioCompletion<Void>] = []
    service.radio.onSetNotify = { answers.append($2) }
    let first = try await service.connectedClient()
    let second = try await service.connectedClient(pid: 2)
    first.send(setNotify(true))
    #expect(await eventually { answers.count == 1 })
    second.send(setNotify(true))
    try await synchronize(second)
    first.send(setNotify(false))
    try await synchronize(first)
    answers[0](.success(()))
    #expect(try await enabled(first) == true)
    #expect(try await enabled(first) == false)
    #expect(try await enabled(second) == true)
    service.radio.notify([1], Meter.current, of: .meter)
    #expect(try await second.next()?.type == "didUpdateValue")
    #expect(notifications(service) == [true])
    await service.stop()
  }

  @Test func subscribingWhileTheLastOneIsBeingEndedStartsAnew() async throws {
    let service = try ServiceFixture()
    let first = try await service.connectedClient()
    let second = try await service.connectedClient(pid: 2)
    first.send(setNotify(true))
    #expect(try await enabled(first) == true)
    var answers: [RadioCompletion<Void>] = []
    service.radio.onSetNotify = { answers.append($2) }
    first.send(setNotify(false))
    #expect(await eventually { answers.count == 1 })
    second.send(setNotify(true))
    try await synchronize(second)
    answers[0](.success(()))
    #expect(await eventually { answers.count == 2 })
    answers[1](.success(()))
    #expect(try await enabled(first) == false)
    #expect(try await enabled(second) == true)
    #expect(notifications(service) == [true, false, true])
    await service.stop()
  }

  @Test func aRefusalIsToldToAllWhoWaited() async throws {
    let service = try ServiceFixture()
    var answers: [RadioCompletion<Void>] = []
    service.radio.onSetNotify = { answers.append($2) }
    let first = try await service.connectedClient(features: .errors)
    let second = try await service.connectedClient(pid: 2, features: .errors)
    first.send(setNotify(true))
    #expect(await eventually { answers.count == 1 })
    second.send(setNotify(true))
    try await synchronize(second)
    answers[0](.failure(.attribute(0x05)))
    for client in [first, second] {
      guard case .didUpdateNotification(let reply)? = try await client.next() else { return unexpected() }
      #expect(reply.error == .attribute(0x05))
      #expect(!reply.enabled)
    }
    #expect(answers.count == 1)
    await service.stop()
  }

  @Test func aDeadSubscriberIsUnsubscribed() async throws {
    let service = try ServiceFixture()
    let first = try await service.connectedClient()
    let second = try await service.connectedClient(pid: 2)
    first.send(setNotify(true))
    #expect(try await enabled(first) == true)
    first.close()
    #expect(await eventually { notifications(service) == [true, false] })
    #expect(second.pendingLines == 0)
    await service.stop()
  }

  @Test func aSubscriberThatDiesBeforeTheAnswerLeavesNothingOn() async throws {
    let service = try ServiceFixture()
    var answers: [RadioCompletion<Void>] = []
    service.radio.onSetNotify = { answers.append($2) }
    let first = try await service.connectedClient()
    let other = try await service.connectedClient(pid: 2)
    first.send(setNotify(true))
    #expect(await eventually { answers.count == 1 })
    first.close()
    #expect(await eventually { service.server.clientCount == 1 })
    answers[0](.success(()))
    #expect(notifications(service) == [true, false])
    // An end that fails is not tried for ever.
    answers[1](.failure(.notConnected))
    await turns()
    #expect(answers.count == 2)
    #expect(!other.isClosed)
    await service.stop()
  }

  @Test func whatCannotNotifyIsRefused() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: .errors)
    client.send(.setNotify(SetNotify(id: .meter, characteristicId: Meter.controlID, enabled: true)))
    guard case .didUpdateNotification(let reply)? = try await client.next() else { return unexpected() }
    #expect(reply.error == .attribute(0x06))
    #expect(!reply.enabled)
    await service.stop()
  }

  @Test func readsAndNotificationsComeInTheRadiosOrder() async throws {
    let service = try ServiceFixture()
    var pending: [RadioCompletion<[UInt8]>] = []
    service.radio.onRead = { pending.append($1) }
    let client = try await service.connectedClient()
    client.send(setNotify(true))
    #expect(try await enabled(client) == true)
    for _ in 0..<2 { client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID))) }
    #expect(await eventually { pending.count == 2 })
    service.radio.notify([1], Meter.current, of: .meter)
    pending[0](.success([2]))
    service.radio.notify([3], Meter.current, of: .meter)
    pending[1](.success([4]))
    for expected in 1...4 {
      guard case .didUpdateValue(let update)? = try await client.next() else { return unexpected() }
      #expect(update.value == [UInt8(expected)])
    }
    await service.stop()
  }
}
