import BridgeIO
import BridgeProtocol
import Radio

/// A peripheral that a client hosts, with a face for each device that can be its central.
@BridgeQueue
final class VirtualHost: HostedPeripheral {
  let id: PeripheralIdentifier
  let device: HostDevice
  unowned let world: VirtualHostedWorld
  private(set) weak var delegate: (any HostedPeripheralDelegate)?
  private(set) var isOpen = false
  /// In the order in which they were published.
  private(set) var services: [HostedService] = []
  private(set) var virtualServices: [VirtualService] = []
  private(set) var advertisement: AdvertisementData?
  /// Published PSMs, and whether they need encryption.
  private(set) var psms: [UInt16: Bool] = [:]
  private var nextPSM = VirtualHost.firstPSM
  private var faces: [HostDevice: VirtualHostFace] = [:]

  /// As Apple's systems begin.
  private static let firstPSM: UInt16 = 192
  private static let serviceLimit = 256
  /// Handles are few; this leaves some for replacing services.
  private static let attributeLimit = 16384

  init(_ id: PeripheralIdentifier, on device: HostDevice, in world: VirtualHostedWorld) {
    self.id = id
    self.device = device
    self.world = world
  }

  // MARK: Client

  func open(_ delegate: any HostedPeripheralDelegate) {
    self.delegate = delegate
    isOpen = true
  }

  func close() {
    guard isOpen else { return }
    delegate = nil
    isOpen = false
    stopAdvertising()
    for face in faces.values { face.dropLink() }
    reset()
    world.closed(self)
  }

  /// Everything published is gone.
  func reset() {
    stopAdvertising()
    unpublish(nil)
    psms = [:]
    nextPSM = Self.firstPSM
  }

  /// Completions are not called inside the call.
  private func later(_ body: @escaping @BridgeQueue () -> Void) { BridgeQueue.atEndOfTurn(body) }

  // MARK: Devices

  func appear(to device: HostDevice, on radio: VirtualRadio) {
    let face = VirtualHostFace(of: self, to: device)
    faces[device] = face
    radio.add(face)
  }

  func disappear(to device: HostDevice) {
    guard let face = faces.removeValue(forKey: device) else { return }
    face.radio?.remove(id)
  }

  func disappear() { for device in Array(faces.keys) { disappear(to: device) } }

  // MARK: Services

  func publish(_ service: HostedService, completion: @escaping RadioCompletion<Void>) {
    let error = problem(with: service)
    if error == nil {
      services.append(service)
      servicesChanged()
    }
    later { completion(error.map { .failure($0) } ?? .success(())) }
  }

  private func problem(with service: HostedService) -> BluetoothError? {
    guard world.state.rawValue >= AdapterState.poweredOff.rawValue else { return .operationNotSupported }
    let known = services.flatMap(\.characteristics).map(\.id)
    let new = service.characteristics.map(\.id)
    if services.contains(where: { $0.id == service.id }) || Set(known + new).count != known.count + new.count {
      return .invalidParameters.saying("The service has been added already.")
    }
    if !service.includedServices.allSatisfy({ number in services.contains { $0.id == number } }) {
      return .invalidParameters.saying("An included service has not been added.")
    }
    let size = (services + [service]).reduce(0) { $0 + $1.attributeCount }
    return services.count >= Self.serviceLimit || size > Self.attributeLimit ? .outOfSpace : nil
  }

  func unpublish(_ service: Int?) {
    let count = services.count
    if let service { services.removeAll { $0.id == service } } else { services = [] }
    if services.count != count { servicesChanged() }
  }

  private func servicesChanged() {
    virtualServices = services.map { $0.virtual(among: services) }
    for face in faces.values { face.servicesChanged() }
  }

  /// A characteristic by its place in `virtualServices`.
  func characteristic(at place: VirtualAttribute.Place) -> HostedCharacteristic? {
    guard services.indices.contains(place.service) else { return nil }
    let characteristics = services[place.service].characteristics
    return characteristics.indices.contains(place.characteristic) ? characteristics[place.characteristic] : nil
  }

  func place(of characteristic: Int) -> VirtualAttribute.Place? {
    for (index, service) in services.enumerated() {
      if let position = service.characteristics.firstIndex(where: { $0.id == characteristic }) {
        return VirtualAttribute.Place(service: index, characteristic: position)
      }
    }
    return nil
  }

  // MARK: Advertising

  func startAdvertising(_ data: AdvertisementData, completion: @escaping RadioCompletion<Void>) {
    guard advertisement == nil else { return later { completion(.failure(.alreadyAdvertising)) } }
    advertisement = data
    advertisement?.isConnectable = true
    advertisement?.txPowerLevel = data.txPowerLevel ?? world.options.txPowerLevel
    for face in faces.values { face.advertisingChanged() }
    later { completion(.success(())) }
  }

  func stopAdvertising() {
    guard advertisement != nil else { return }
    advertisement = nil
    for face in faces.values { face.advertisingChanged() }
  }

  // MARK: Updates

  func update(
    _ value: [UInt8], of characteristic: Int, to centrals: Set<PeripheralIdentifier>?,
    completion: @escaping @BridgeQueue () -> Void
  ) {
    let update = HostedUpdate(value, of: characteristic, completion: completion)
    for face in faces.values where centrals?.contains(face.centralID) ?? true { face.send(update) }
    update.allSubmitted()
  }

  func setConnectionLatency(_ latency: Int, for central: PeripheralIdentifier) {
    Log.debug("mock", "\(id): latency \(latency) for central \(central)")
  }

  // MARK: L2CAP

  func publishL2CAPChannel(encryptionRequired: Bool, completion: @escaping RadioCompletion<UInt16>) {
    guard let dynamicPSMs = world.options.l2capPSMs else {
      return later { completion(.failure(.operationNotSupported)) }
    }
    var psm = dynamicPSMs.contains(nextPSM) ? nextPSM : dynamicPSMs.lowerBound
    // Above the first one first, then from below.
    var tries = dynamicPSMs.count
    while psms[psm] != nil, tries > 0 {
      psm = psm == dynamicPSMs.upperBound ? dynamicPSMs.lowerBound : psm + 1
      tries -= 1
    }
    guard tries > 0 else { return later { completion(.failure(.outOfSpace)) } }
    psms[psm] = encryptionRequired
    nextPSM = psm == dynamicPSMs.upperBound ? dynamicPSMs.lowerBound : psm + 1
    later { completion(.success(psm)) }
  }

  func unpublishL2CAPChannel(psm: UInt16, completion: @escaping RadioCompletion<Void>) {
    let wasPublished = psms.removeValue(forKey: psm) != nil
    later { completion(wasPublished ? .success(()) : .failure(.invalidParameters)) }
  }
}

extension HostedService {
  fileprivate var attributeCount: Int {
    1 + includedServices.count + characteristics.reduce(0) { $0 + 3 + $1.descriptors.count }
  }

  fileprivate func virtual(among services: [HostedService]) -> VirtualService {
    VirtualService(
      uuid: uuid, isPrimary: isPrimary,
      includedServices: includedServices.compactMap { number in services.firstIndex { $0.id == number } },
      characteristics: characteristics.map(\.virtual))
  }
}

extension HostedCharacteristic {
  /// What remote clients see are the eight bits of the declaration.
  private static let declared = CharacteristicProperties(rawValue: 0xFF)

  fileprivate var virtual: VirtualCharacteristic {
    var shown = properties
    if shown.contains(.notifyEncryptionRequired) { shown.insert(.notify) }
    if shown.contains(.indicateEncryptionRequired) { shown.insert(.indicate) }
    return VirtualCharacteristic(
      uuid: uuid, properties: shown.intersection(Self.declared),
      readSecurity: permissions.contains(.readEncryptionRequired) ? .encryption : .none,
      writeSecurity: permissions.contains(.writeEncryptionRequired) ? .encryption : .none,
      notifySecurity: properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired])
        ? .none : .encryption,
      descriptors: descriptors.map { VirtualDescriptor(uuid: $0.uuid) })
  }
}
