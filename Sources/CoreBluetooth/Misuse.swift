import Foundation

/// What Apple's framework does about wrong calls.
package enum Misuse {
  /// A programmer's error that raises an exception there, and ends the process here.
  static func raise(_ exception: String, _ reason: String) -> Never {
    fatalError("*** Terminating app due to uncaught exception '\(exception)', reason: '\(reason)'")
  }

  /// A call that is dropped with a line on the console.
  package static func log(_ text: @autoclosure () -> String) {
    FileHandle.standardError.write(Data("[CoreBluetooth] API MISUSE: \(text())\n".utf8))
  }

  package static func warn(_ text: @autoclosure () -> String) {
    FileHandle.standardError.write(Data("[CoreBluetooth] WARNING: \(text())\n".utf8))
  }
}
