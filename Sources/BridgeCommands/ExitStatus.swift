/// What the process says to the shell. `bridge help` prints this table.
public enum ExitStatus: Int32, CaseIterable, Sendable {
  case success = 0
  case nothingFound = 1
  case usage = 2
  case noService = 3
  case radioUnavailable = 4
  case socketTaken = 5
  case failure = 6

  var meaning: String {
    switch self {
    case .success: "done"
    case .nothingFound: "nothing found (scan, capture, fault clear), or a problem found (doctor, mock validate)"
    case .usage: "the command line was not understood"
    case .noService: "no service listens at the socket"
    case .radioUnavailable: "the service runs, but its radio cannot be used"
    case .socketTaken: "the socket belongs to another program"
    case .failure: "anything else; the message says what"
    }
  }
}
