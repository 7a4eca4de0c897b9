public import CoreBluetooth

/// A characteristic of a simulated service.
///
/// `@unchecked Sendable` is sound: what changes is behind a lock.
open class FaketoothCharacteristic: NSObject, @unchecked Sendable {
  struct State {
    weak var service: FaketoothService?
    var value: Data?
    var isNotifying = false
    var readError: (any Error)?
    var writeError: (any Error)?
  }

  public let uuid: CBUUID
  public let properties: CBCharacteristicProperties
  public let descriptors: [FaketoothDescriptor]?
  /// Makes the value of each read and notification; asked on `FaketoothSettings.queue`.
  public let valueProducer: (() -> Data?)?
  /// Gets what is written, on `FaketoothSettings.queue`.
  public let valueHandler: ((Data?) -> Void)?
  let state = Guarded(State())

  public init(
    uuid: CBUUID, properties: CBCharacteristicProperties, descriptors: [FaketoothDescriptor]? = nil,
    valueProducer: (() -> Data?)? = nil, valueHandler: ((Data?) -> Void)? = nil
  ) {
    self.uuid = uuid
    self.properties = properties
    self.descriptors = descriptors
    self.valueProducer = valueProducer
    self.valueHandler = valueHandler
    super.init()
    for descriptor in descriptors ?? [] { descriptor.state[\.characteristic] = self }
  }

  open var service: FaketoothService? { state[\.service] }

  /// What a read gives: the producer's value, else what was written last.
  open var value: Data? { valueProducer?() ?? state[\.value] }

  /// Whether a central has subscribed to it.
  open var isNotifying: Bool { state[\.isNotifying] }

  /// What reads fail with; nil for success.
  open var readError: (any Error)? {
    get { state[\.readError] }
    set { state[\.readError] = newValue }
  }

  /// What writes fail with; nil for success. The handler is not called then.
  open var writeError: (any Error)? {
    get { state[\.writeError] }
    set { state[\.writeError] = newValue }
  }

  func write(_ data: Data) {
    state[\.value] = data
    valueHandler?(data)
  }
}
