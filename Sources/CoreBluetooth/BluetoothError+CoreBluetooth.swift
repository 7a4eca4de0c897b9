package import BridgeProtocol
import Foundation

extension BluetoothError {
  /// The error as apps get it: a `CBError` or `CBATTError`, never a bare `NSError`, because on Linux only the struct can
  /// be cast and caught.
  package var appError: any Error {
    let userInfo: [String: Any] = [NSLocalizedDescriptionKey: text]
    switch domain {
    case .attribute: return CBATTError(CBATTErrorCode(rawValue: code)!, userInfo: userInfo)
    case .bluetooth: return CBError(CBErrorCode(rawValue: code)!, userInfo: userInfo)
    case .impossible: return CBError(.unknown, userInfo: userInfo)
    }
  }
}
