import BridgeIO

/// One value on its way to those who have subscribed; complete when the last of them has it in its queue.
@BridgeQueue
final class HostedUpdate {
  let value: [UInt8]
  let characteristic: Int
  private let completion: @BridgeQueue () -> Void
  private var outstanding = 1

  init(_ value: [UInt8], of characteristic: Int, completion: @escaping @BridgeQueue () -> Void) {
    self.value = value
    self.characteristic = characteristic
    self.completion = completion
  }

  func began() { outstanding += 1 }

  func left() {
    outstanding -= 1
    if outstanding == 0 { completion() }
  }

  /// Not inside the call that submits it.
  func allSubmitted() { BridgeQueue.atEndOfTurn { self.left() } }
}
