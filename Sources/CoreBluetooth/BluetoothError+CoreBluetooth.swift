package import BridgeProtocol
import Foundation

extension BluetoothError {
  /// An app's error as the wire has it. One of another domain keeps its text only.
  package init(_ error: any Error) {
    let error = error as NSError
    let text = error.userInfo[NSLocalizedDescriptionKey] as? String
    switch error.domain {
    case CBErrorDomain:
      let known = Self.bluetooth(error.code)?.text ?? Self.unknown.text
      self.init(.bluetooth, error.code, text ?? known)
    case CBATTErrorDomain:
      let known = UInt8(exactly: error.code).map { Self.attribute($0).text } ?? Self.unknown.text
      self.init(.attribute, error.code, text ?? known)
    default: self.init(.impossible, 1, text ?? error.localizedDescription)
    }
  }

  /// The error as apps get it: a `CBError` or `CBATTError`, never a bare `NSError`, because on Linux only the struct can
  /// be cast and caught.
  package var appError: any Error {
    let userInfo: [String: Any] = [NSLocalizedDescriptionKey: text]
    switch domain {
    case .attribute: return CBATTError(CBATTErrorCode(rawValue: code)!, userInfo: userInfo)
    case .bluetooth: return CBError(CBErrorCode(rawValue: code)!, userInfo: userInfo)
    case .impossible: return Self.known(by: text)?.appError ?? CBError(.unknown, userInfo: userInfo)
    }
  }

  /// ImpossiBLE's providers tell most errors by Apple's text alone.
  private static func known(by text: String) -> BluetoothError? {
    (1...17).map { attribute($0) }.first { $0.text == text }
      ?? [.connectionTimeout, .peripheralDisconnected, .connectionFailed, .notConnected, .encryptionTimedOut]
      .first { $0.text == text }
  }
}
