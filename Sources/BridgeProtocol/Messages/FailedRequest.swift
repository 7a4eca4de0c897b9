/// A request that cannot be served, as far as it could be read: all that its reply must name.
public struct FailedRequest: Hashable, Sendable {
  /// The request's `type`.
  public var type: String
  public var id: PeripheralIdentifier?
  /// The service, characteristic or descriptor that the request names, as the client wrote it.
  public var attributeId: String?
  public var channelId: String?
  public var psm: Int?
  /// What the client calls the request, or the service or update that it hosts.
  public var number: Int?
  /// Whether the request is a write that CoreBluetooth would not answer.
  public var isWriteWithoutResponse: Bool

  public init(
    type: String, id: PeripheralIdentifier? = nil, attributeId: String? = nil, channelId: String? = nil,
    psm: Int? = nil, number: Int? = nil, isWriteWithoutResponse: Bool = false
  ) {
    self.type = type
    self.id = id
    self.attributeId = attributeId
    self.channelId = channelId
    self.psm = psm
    self.number = number
    self.isWriteWithoutResponse = isWriteWithoutResponse
  }

  /// The reply of the request's own type that carries `error`; nil when the wire has none for it, or when what the
  /// reply must name could not be read.
  ///
  /// - Parameter isNotifying: what holds, for `setNotify`.
  public func reply(_ error: BluetoothError, isNotifying: Bool = false) -> ServerMessage? {
    switch type {
    case "setMockConfiguration": return .didSetMockConfiguration(DidSetMockConfiguration(failure: error.text))
    case "setFault": return .didSetFault(DidSetFault(number: nil, error: error))
    case "clearFaults": return .didClearFaults(DidClearFaults(count: 0, error: error))
    case "enterPasskey": return .didEnterPasskey(DidEnterPasskey(count: 0, error: error))
    case "publishService":
      return number.map { .peripheral(.didPublishService(DidPublishService(service: $0, error: error))) }
    case "updateSubscribers": return number.map { .peripheral(.didUpdateSubscribers(DidUpdateSubscribers(update: $0))) }
    case "startAdvertising": return .peripheral(.didStartAdvertising(DidStartAdvertising(error: error)))
    case "publishL2CAP": return .peripheral(.didPublishL2CAP(DidPublishL2CAP(psm: 0, error: error)))
    case "unpublishL2CAP":
      return .peripheral(.didUnpublishL2CAP(DidUnpublishL2CAP(psm: UInt16(clamping: psm ?? 0), error: error)))
    case "l2capWrite", "l2capClose": return channelId.map { .l2capClosed(L2CAPClosed(channelId: $0)) }
    case "retrievePeripherals":
      return number.map { .didRetrievePeripherals(DidRetrievePeripherals(requestId: $0, peripherals: [])) }
    case "write" where isWriteWithoutResponse: return nil
    default:
      guard let id else { return nil }
      return peripheralReply(id, error) ?? attributeId.flatMap { attributeReply(id, $0, error, isNotifying) }
    }
  }

  private func peripheralReply(_ id: PeripheralIdentifier, _ error: BluetoothError) -> ServerMessage? {
    switch type {
    case "connect": .didFailConnect(DidFailConnect(id: id, error: error))
    case "cancel": .didDisconnect(DidDisconnect(id: id, error: nil, timestamp: nil))
    case "readRSSI": .didReadRSSI(DidReadRSSI(id: id, rssi: DidReadRSSI.unavailable, error: error))
    case "discoverServices": .didDiscoverServices(DidDiscoverServices(id: id, services: [], error: error))
    case "openL2CAP": .didOpenL2CAP(DidOpenL2CAP(id: id, channelId: "", psm: psm ?? 0, error: error))
    default: nil
    }
  }

  private func attributeReply(
    _ id: PeripheralIdentifier, _ attribute: String, _ error: BluetoothError, _ isNotifying: Bool
  ) -> ServerMessage? {
    switch type {
    case "discoverIncludedServices":
      .didDiscoverIncludedServices(
        DidDiscoverIncludedServices(id: id, serviceId: attribute, includedServices: [], error: error))
    case "discoverCharacteristics":
      .didDiscoverCharacteristics(
        DidDiscoverCharacteristics(id: id, serviceId: attribute, characteristics: [], error: error))
    case "discoverDescriptors":
      .didDiscoverDescriptors(
        DidDiscoverDescriptors(id: id, characteristicId: attribute, descriptors: [], error: error))
    case "read": .didUpdateValue(DidUpdateValue(id: id, characteristicId: attribute, value: [], error: error))
    case "write": .didWriteValue(DidWriteValue(id: id, characteristicId: attribute, error: error))
    case "readDescriptor":
      .didUpdateDescriptorValue(
        DidUpdateDescriptorValue(id: id, descriptorId: attribute, value: nil, error: error))
    case "writeDescriptor":
      .didWriteDescriptorValue(DidWriteDescriptorValue(id: id, descriptorId: attribute, error: error))
    case "setNotify":
      .didUpdateNotification(
        DidUpdateNotification(id: id, characteristicId: attribute, enabled: isNotifying, error: error))
    default: nil
    }
  }
}
