import Glibc

/// What a session's recording is called: when it began, which service and client, and the app.
enum RecordingName {
  private static let appLimit = 64

  /// `20260102T030405Z-<service's pid>-<client's number>-<app>.ndjson`; of the app's name, letters, digits, `.`, `_` and `-`.
  ///
  /// - Parameter time: seconds since 1970.
  static func make(time: Double, servicePID: Int, client: Int, app: String?) -> String {
    "\(clock(time))-\(servicePID)-\(client)\(suffix(app)).ndjson"
  }

  private static func clock(_ time: Double) -> String {
    var seconds = time_t(time)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func suffix(_ app: String?) -> String {
    guard let app, !app.isEmpty else { return "" }
    let harmless = app.unicodeScalars.prefix(appLimit).map { scalar -> Character in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": Character(scalar)
      default: "_"
      }
    }
    return "-" + String(harmless)
  }
}
