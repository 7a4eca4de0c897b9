public import BridgeIO
import DBus

/// One characteristic of a fake peripheral and its GattCharacteristic1.
///
/// - Source: BlueZ `src/gatt-client.c`.
@BridgeQueue
public final class FakeCharacteristic {
  public let description: FakeCharacteristicDescription
  /// Of the declaration; the value's is one more.
  public let handle: UInt16
  public let descriptors: [FakeDescriptor]
  /// What the peripheral holds: read by reads, set by writes.
  public var value: [UInt8]
  /// ATT errors with which the peripheral answers.
  public var readError: UInt8?
  public var writeError: UInt8?
  /// Told of every write that reached the peripheral, `type` as in the call's options.
  public var onWrite: (@BridgeQueue (_ value: [UInt8], _ type: String) -> Void)?
  /// Bus names that subscribed; they outlive the link.
  public internal(set) var notifySessions: [String] = []

  var isWriting = false
  private weak var device: FakeDevice?
  private var object: FakeObject?

  init(_ description: FakeCharacteristicDescription, next: inout UInt16) {
    self.description = description
    handle = description.handle ?? next
    next = handle + 2
    value = description.value
    var descriptors = description.descriptors
    let wantsConfiguration = description.flags.contains("notify") || description.flags.contains("indicate")
    if wantsConfiguration && !descriptors.contains(where: { bluezUUID($0.uuid) == bluezUUID("2902") }) {
      descriptors.insert(FakeDescriptorDescription("2902", value: [0, 0]), at: 0)
    }
    self.descriptors = descriptors.map { FakeDescriptor($0, next: &next) }
  }

  public var uuid: String { bluezUUID(description.uuid) }
  public var path: String { object?.path ?? "" }
  public func descriptor(_ uuid: String) -> FakeDescriptor? {
    descriptors.first { bluezUUID($0.description.uuid) == bluezUUID(uuid) }
  }

  // MARK: Object

  func publish(on device: FakeDevice, service: String) {
    self.device = device
    let path = service + "/char" + hexadecimal(handle)
    let object = device.tree.add(
      path,
      [
        FakeNames.characteristic: [
          "UUID": .string(uuid), "Service": .objectPath(ObjectPath(service)), "Value": .bytes([]),
          "Notifying": .boolean(!notifySessions.isEmpty), "Flags": .strings(description.flags),
          "Handle": .uint16(handle),
        ]
      ])
    self.object = object
    object.on(FakeNames.characteristic, "ReadValue") { [unowned self] in read($0) }
    object.on(FakeNames.characteristic, "WriteValue") { [unowned self] in write($0) }
    object.on(FakeNames.characteristic, "StartNotify") { [unowned self] in startNotify($0) }
    object.on(FakeNames.characteristic, "StopNotify") { [unowned self] in stopNotify($0) }
    object.on(FakeNames.characteristic, "AcquireNotify") { $0.fail(.bluezNotSupported) }
    object.on(FakeNames.characteristic, "AcquireWrite") { $0.fail(.bluezNotSupported) }
    for descriptor in descriptors { descriptor.publish(on: device, characteristic: path) }
  }

  func unpublish() {
    guard let device, let object else { return }
    for descriptor in descriptors { descriptor.unpublish() }
    device.link.lose(requestsOn: object.path)
    device.tree.remove(object.path)
    notifySessions = []
    self.object = nil
  }

  func daemonEnded() {
    object = nil
    notifySessions = []
    isWriting = false
    for descriptor in descriptors { descriptor.daemonEnded() }
  }

  func update(_ property: String, _ value: Value?) {
    if let device, let object { device.tree.update(object, FakeNames.characteristic, property, value) }
  }

  /// Told at once, and each time, even if it is the same.
  private func tell(_ value: [UInt8]) {
    guard let device, let object else { return }
    device.tree.flush()
    device.tree.emitChanged(object, FakeNames.characteristic, ["Value": .bytes(value)])
  }

  // MARK: Reading and writing

  private func read(_ call: FakeCall) {
    guard let device, device.isConnected else { return call.fail(.bluezNotConnected) }
    let offset = call.arguments.first?.properties?["offset"]?.int ?? 0
    withSecurity(call, device) {
      device.link.carry(call) {
        if let error = self.readError { return call.fail(.bluez(att: error)) }
        guard offset <= self.value.count else { return call.fail(.bluez(att: 0x07)) }
        let value = Array(self.value[offset...])
        // Immediately before the reply, unless that is held.
        self.tell(value)
        call.reply(.bytes(value))
      }
    }
  }

  private func write(_ call: FakeCall) {
    guard let device, device.isConnected else { return call.fail(.bluezNotConnected) }
    guard let value = call.arguments.first?.bytes else { return call.fail(.bluezInvalidArguments) }
    let type = call.arguments.last?.properties?["type"]?.string ?? "request"
    guard value.count <= 512 else { return call.fail(.bluez("InvalidArguments", "Invalid Length")) }
    guard !isWriting else { return call.fail(.bluezInProgress) }
    if type == "command" {
      guard value.count <= Int(device.mtu) - 3 else { return call.fail(.bluez("Failed", "Failed to initiate write")) }
      receive(value, type)
      return call.reply()
    }
    isWriting = true
    withSecurity(call, device) {
      device.link.carry(call) {
        self.isWriting = false
        if let error = self.writeError { return call.fail(.bluez(att: error)) }
        self.receive(value, type)
        call.reply()
      }
    }
  }

  private func receive(_ value: [UInt8], _ type: String) {
    self.value = value
    onWrite?(value, type)
  }

  private func withSecurity(_ call: FakeCall, _ device: FakeDevice, _ body: @escaping @BridgeQueue () -> Void) {
    if description.isProtected { device.link.secure(for: call, body) } else { body() }
  }

  // MARK: Notifications

  private func startNotify(_ call: FakeCall) {
    guard let device else { return call.fail(.bluezNotConnected) }
    if device.link.isDisconnecting { return call.fail(.bluez("NotConnected", "Not Connected")) }
    guard description.flags.contains("notify") || description.flags.contains("indicate") else {
      return call.fail(.bluezNotSupported)
    }
    if notifySessions.contains(call.sender) {
      return device.isConnected ? call.reply() : call.fail(.bluezInProgress)
    }
    device.link.carry(call) {
      self.notifySessions.append(call.sender)
      self.update("Notifying", .boolean(true))
      call.reply()
    }
  }

  private func stopNotify(_ call: FakeCall) {
    guard notifySessions.contains(call.sender) else {
      return call.fail(.bluez("Failed", "No notify session started"))
    }
    clientLeft(call.sender)
    call.reply()
  }

  func clientLeft(_ name: String) {
    guard notifySessions.contains(name) else { return }
    notifySessions.removeAll { $0 == name }
    if notifySessions.isEmpty { update("Notifying", .boolean(false)) }
  }

  /// The peripheral notifies: told once per subscribed program, to everyone.
  ///
  /// - Returns: Whether anybody heard.
  @discardableResult
  public func notify(_ values: [UInt8]...) -> Bool {
    guard let device, device.isConnected, !notifySessions.isEmpty else { return false }
    for value in values { for _ in notifySessions { tell(value) } }
    return true
  }

  /// A Value signal for a reason of somebody else's, such as another program's read.
  public func tellValue(_ value: [UInt8]) { tell(value) }
}
