import Glibc

/// Whether rfkill keeps an adapter off, as the kernel shows it in sysfs.
///
/// - Source: Linux `Documentation/driver-api/rfkill.rst`.
enum RFKill {
  static func isBlocked(_ adapter: String, root: String = "/sys/class/bluetooth") -> Bool {
    let folder = "\(root)/\(adapter)"
    guard let directory = opendir(folder) else { return false }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix("rfkill") else { continue }
      if isSet("\(folder)/\(name)/soft") || isSet("\(folder)/\(name)/hard") { return true }
    }
    return false
  }

  private static func isSet(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var character: UInt8 = 0
    return read(descriptor, &character, 1) == 1 && character == UInt8(ascii: "1")
  }
}
