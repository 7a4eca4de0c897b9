import BridgeProtocol

extension RandomMessages {
  mutating func hostRequests() -> [ClientMessage] {
    let requests: [PeripheralRequest] = [
      .hostPeripheral(HostPeripheral(restoreIdentifier: optional { $0.text() })),
      .publishService(PublishService(service: hostedService())),
      .unpublishService(UnpublishService(service: optional { $0.number() })),
      .startAdvertising(StartAdvertising(advertisement: advertisement())), .stopAdvertising(StopAdvertising()),
      .respond(RespondToRequest(request: number(), result: UInt8(number(0...255)), value: bytes())),
      .updateSubscribers(
        UpdateSubscribers(
          update: number(), characteristic: number(), value: bytes(),
          centrals: optional { $0.list { $0.peripheral() } })),
      .setConnectionLatency(SetConnectionLatency(central: peripheral(), latency: number(0...2))),
      .publishL2CAP(PublishL2CAP(encryptionRequired: bool())),
      .unpublishL2CAP(UnpublishL2CAP(psm: UInt16(number(0...0xFFFF)))),
    ]
    return requests.map { .peripheral($0) }
  }

  mutating func hostEvents() -> [ServerMessage] {
    let events: [PeripheralEvent] = [
      .hostingState(HostingState(state: state())),
      .didRestorePeripheral(
        DidRestorePeripheral(
          services: list { $0.hostedService() }, advertisement: optional { $0.advertisement() })),
      .didPublishService(DidPublishService(service: number(), error: error())),
      .didStartAdvertising(DidStartAdvertising(error: error())),
      .didReceiveRead(
        DidReceiveRead(request: number(), central: central(), characteristic: number(), offset: number())),
      .didReceiveWrite(
        DidReceiveWrite(
          request: number(), central: central(),
          writes: list { HostedWrite(characteristic: $0.number(), offset: $0.number(), value: $0.bytes()) },
          withResponse: bool())),
      .didSubscribe(DidSubscribe(central: central(), characteristic: number())),
      .didUnsubscribe(DidUnsubscribe(central: central(), characteristic: number())),
      .didUpdateSubscribers(DidUpdateSubscribers(update: number())),
      .didPublishL2CAP(DidPublishL2CAP(psm: UInt16(number(0...0xFFFF)), error: error())),
      .didUnpublishL2CAP(DidUnpublishL2CAP(psm: UInt16(number(0...0xFFFF)), error: error())),
      .didAcceptL2CAP(DidAcceptL2CAP(channelId: text(), psm: UInt16(number(0...0xFFFF)), central: central())),
    ]
    return events.map { .peripheral($0) }
  }

  private mutating func central() -> HostedCentral {
    HostedCentral(id: peripheral(), maximumUpdateValueLength: number())
  }

  private mutating func hostedService() -> HostedService {
    HostedService(
      id: number(0...Int.max), uuid: uuid(), isPrimary: bool(), includedServices: list { $0.number() },
      characteristics: list { $0.hostedCharacteristic() })
  }

  private mutating func hostedCharacteristic() -> HostedCharacteristic {
    HostedCharacteristic(
      id: number(0...Int.max), uuid: uuid(), properties: CharacteristicProperties(rawValue: UInt16(number(0...0xFFFF))),
      permissions: AttributePermissions(rawValue: UInt8(number(0...255))), value: optional { $0.bytes() },
      descriptors: list { HostedDescriptor(uuid: $0.uuid(), value: $0.bytes()) })
  }
}
