import Glibc

/// Where the service listens when nobody says otherwise.
enum StandardSocket {
  /// Compiled into ImpossiBLE's client library.
  static let path = "/tmp/impossible.sock"

  /// What `BRIDGE_SOCKET` says, else the standard path.
  static var preferred: String {
    let given = getenv("BRIDGE_SOCKET").map { String(cString: $0) } ?? ""
    return given.isEmpty ? path : given
  }
}
