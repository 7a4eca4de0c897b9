import Glibc

/// Where the service listens when nobody says otherwise.
enum StandardSocket {
  /// Compiled into ImpossiBLE's client library.
  static let path = "/tmp/impossible.sock"

  /// What `BRIDGE_SOCKET` says, else the standard path.
  static var preferred: String { getenv("BRIDGE_SOCKET").map { String(cString: $0) } ?? path }
}
