import BridgeIO
import Radio

/// What a device's `GATTClient` tells the device.
@BridgeQueue
protocol GATTClientOwner: AnyObject {
  func gattClient(_ client: GATTClient, didNotify value: [UInt8], characteristic: AttributeHandle)
  func gattClient(_ client: GATTClient, didModifyServices removed: [AttributeHandle])
  func gattClientIsReadyToWriteWithoutResponse(_ client: GATTClient)
  /// `maximumWriteLength` became known, or changed.
  func gattClientDidUpdateMaximumWriteLength(_ client: GATTClient)
  /// A request outlived its limit: ATT on this link is stuck, and only a disconnect ends that.
  func gattClientIsStuck(_ client: GATTClient)
}
