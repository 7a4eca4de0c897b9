public import CoreBluetooth

/// A descriptor of a simulated characteristic.
///
/// `@unchecked Sendable` is sound: what changes is behind a lock.
open class FaketoothDescriptor: NSObject, @unchecked Sendable {
  struct State {
    weak var characteristic: FaketoothCharacteristic?
    var value: Any?
    var readError: (any Error)?
    var writeError: (any Error)?
  }

  public let uuid: CBUUID
  /// Makes the value of each read: `Data`, a `String` or an `NSNumber`; asked on `FaketoothSettings.queue`.
  public let valueProducer: (() -> Any?)?
  /// Gets what is written, as `Data`, on `FaketoothSettings.queue`.
  public let valueHandler: ((Any?) -> Void)?
  let state = Guarded(State())

  /// 2902 belongs to the system: its producer is not asked, and it cannot be written.
  public init(uuid: CBUUID, valueProducer: (() -> Any?)? = nil, valueHandler: ((Any?) -> Void)? = nil) {
    self.uuid = uuid
    self.valueProducer = valueProducer
    self.valueHandler = valueHandler
  }

  open var characteristic: FaketoothCharacteristic? { state[\.characteristic] }

  /// What a read gives: the producer's value, else what was written last.
  open var value: Any? { valueProducer?() ?? state[\.value] }

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
