import Glibc

/// Where the service keeps what outlives it.
enum StateDirectory {
  /// systemd's STATE_DIRECTORY, else root's /var/lib/bridge, else the user's own by the XDG Base Directory rules.
  static var preferred: String {
    if let given = variable("STATE_DIRECTORY") { return String(given.prefix { $0 != ":" }) }
    if geteuid() == 0 { return "/var/lib/bridge" }
    if let state = variable("XDG_STATE_HOME") { return state + "/bridge" }
    return (variable("HOME") ?? "/tmp") + "/.local/state/bridge"
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
