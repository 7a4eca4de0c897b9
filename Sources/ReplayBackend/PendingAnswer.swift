import BridgeIO
import BridgeProtocol

/// A request that waits for its answer; completed exactly once.
@BridgeQueue
final class PendingAnswer {
  typealias Completion = @BridgeQueue (Result<RecordedRequest.Result, BluetoothError>) -> Void

  private var completion: Completion?
  let result: Result<RecordedRequest.Result, BluetoothError>

  init(_ result: Result<RecordedRequest.Result, BluetoothError>, _ completion: @escaping Completion) {
    self.result = result
    self.completion = completion
  }

  func complete() { complete(result) }

  func complete(_ result: Result<RecordedRequest.Result, BluetoothError>) {
    let completion = completion
    self.completion = nil
    completion?(result)
  }
}
