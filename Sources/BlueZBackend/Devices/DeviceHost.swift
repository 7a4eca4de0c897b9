import BridgeIO
import BridgeProtocol
import Radio

/// What a device needs of the radio that it belongs to.
@BridgeQueue
protocol DeviceHost: AnyObject {
  var service: BlueZService { get }
  var discovery: Discovery { get }
  var timing: BlueZTiming { get }
  var gattPaths: GATTPaths { get }
  var journal: LinkJournal { get }
  /// A device with a private address is linked, or being so.
  var hasPrivatePeers: Bool { get }

  /// `isAnswer`: caused by a call into the radio, so not to be told before that call has returned.
  func report(_ event: LinkEvent, of device: BlueZDevice, isAnswer: Bool)
  func linkStands(_ device: BlueZDevice)
  func didRename(_ device: BlueZDevice)
  func device(_ device: BlueZDevice, didNotify value: [UInt8], characteristic: AttributeHandle)
  func device(_ device: BlueZDevice, didModifyServices removed: [AttributeHandle])
  func deviceIsReadyToWriteWithoutResponse(_ device: BlueZDevice)
  func deviceDidUpdateMaximumWriteLength(_ device: BlueZDevice)
}

/// What a link has to say to the radio's observer.
enum LinkEvent: Equatable {
  case didConnect
  case didFailToConnect(BluetoothError)
  case didDisconnect(BluetoothError?)
  case connectionEvent(Bool)
}
