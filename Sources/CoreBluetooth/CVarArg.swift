import Foundation

// Objects can be passed to formats, as Apple's can: `String(format: "%@", peripheral)`.

extension CBUUID: CVarArg {
  public var _cVarArgEncoding: [Int] { FormattedObjects.encode(description) }
}

extension CBPeer: CVarArg {
  public var _cVarArgEncoding: [Int] { FormattedObjects.encode(description) }
}

extension CBAttribute: CVarArg {
  public var _cVarArgEncoding: [Int] { FormattedObjects.encode(description) }
}

extension CBATTRequest: CVarArg {
  public var _cVarArgEncoding: [Int] { FormattedObjects.encode(description) }
}

/// The texts that the thread's latest formats print. Foundation on Linux prints only its own classes, and an argument
/// of a format holds no reference: so the last few are kept until others take their place.
enum FormattedObjects {
  private static let kept = 64
  private static let key = "CoreBluetooth.formatted"

  static func encode(_ description: String) -> [Int] {
    let text = NSString(string: description)
    var texts = Thread.current.threadDictionary[key] as? [NSString] ?? []
    if texts.count == kept { texts.removeFirst() }
    texts.append(text)
    Thread.current.threadDictionary[key] = texts
    return [Int(bitPattern: Unmanaged.passUnretained(text).toOpaque())]
  }
}
