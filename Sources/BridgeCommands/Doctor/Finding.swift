/// What one check of `bridge doctor` found.
struct Finding: Sendable {
  enum Verdict: String, Sendable {
    case good
    /// Works, but less well than it could.
    case notice
    case problem
    /// Could not be looked at, because of a problem above it.
    case skipped
  }

  /// `adapter`, `rfkill`…; stable, for programs.
  var check: String
  var verdict: Verdict
  var finding: String
  /// What to do about it; empty when nothing is to be done.
  var advice: String

  static func good(_ check: String, _ finding: String) -> Finding {
    Finding(check: check, verdict: .good, finding: finding, advice: "")
  }
  static func notice(_ check: String, _ finding: String, advice: String) -> Finding {
    Finding(check: check, verdict: .notice, finding: finding, advice: advice)
  }
  static func problem(_ check: String, _ finding: String, advice: String) -> Finding {
    Finding(check: check, verdict: .problem, finding: finding, advice: advice)
  }
  static func skipped(_ check: String, because reason: String) -> Finding {
    Finding(check: check, verdict: .skipped, finding: reason, advice: "")
  }
}
