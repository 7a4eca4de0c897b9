extension ClientMessage {
  /// The reply that tells the client that this request failed; nil if the wire has none for it.
  ///
  /// - Parameter isNotifying: what holds, for `setNotify`.
  public func failureReply(_ error: BluetoothError, isNotifying: Bool = false) -> ServerMessage? {
    failed.reply(error, isNotifying: isNotifying)
  }

  private var failed: FailedRequest {
    func attribute(_ id: PeripheralIdentifier, _ attributeId: String) -> FailedRequest {
      FailedRequest(type: type, id: id, attributeId: attributeId)
    }
    return switch self {
    case .connect(let request): FailedRequest(type: type, id: request.id)
    case .cancel(let request): FailedRequest(type: type, id: request.id)
    case .readRSSI(let request): FailedRequest(type: type, id: request.id)
    case .discoverServices(let request): FailedRequest(type: type, id: request.id)
    case .openL2CAP(let request): FailedRequest(type: type, id: request.id, psm: Int(request.psm))
    case .discoverIncludedServices(let request): attribute(request.id, request.serviceId)
    case .discoverCharacteristics(let request): attribute(request.id, request.serviceId)
    case .discoverDescriptors(let request): attribute(request.id, request.characteristicId)
    case .read(let request): attribute(request.id, request.characteristicId)
    case .readDescriptor(let request): attribute(request.id, request.descriptorId)
    case .writeDescriptor(let request): attribute(request.id, request.descriptorId)
    case .setNotify(let request): attribute(request.id, request.characteristicId)
    case .write(let request):
      FailedRequest(
        type: type, id: request.id, attributeId: request.characteristicId,
        isWriteWithoutResponse: request.writeType == .withoutResponse)
    case .l2capWrite(let request): FailedRequest(type: type, channelId: request.channelId)
    case .retrievePeripherals(let request): FailedRequest(type: type, number: request.requestId)
    case .l2capClose(let request): FailedRequest(type: type, channelId: request.channelId)
    case .peripheral(.publishService(let request)): FailedRequest(type: type, number: request.service.id)
    case .peripheral(.updateSubscribers(let request)): FailedRequest(type: type, number: request.update)
    case .peripheral(.unpublishL2CAP(let request)): FailedRequest(type: type, psm: Int(request.psm))
    default: FailedRequest(type: type)
    }
  }
}
