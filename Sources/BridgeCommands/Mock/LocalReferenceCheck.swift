import BridgeProtocol
import Glibc
import MockBackend

/// Whether what a configuration names on this machine is there.
enum LocalReferenceCheck {
  /// nil if nothing is wrong.
  static func problem(of reference: LocalReference) -> ConfigurationProblem? {
    switch reference.target {
    case .table(let file, let encoding):
      let reason = CSVTable.problem(of: file, encoding, folder: reference.folder)
      return reason.map { reference.problem(.error, "\(file.path): \($0)") }
    case .program(let command):
      let program = command.arguments[0]
      return canRun(program, in: reference.folder) ? nil : reference.problem(.error, "\(program): no such program")
    case .socket(let path):
      // Its server may be started later.
      return isSocket(path) ? nil : reference.problem(.warning, "\(path): no socket there now")
    }
  }

  private static func canRun(_ program: String, in folder: String?) -> Bool {
    if program.contains("/") {
      let isAbsolute = program.hasPrefix("/")
      return isExecutable(isAbsolute ? program : "\(folder ?? ".")/\(program)")
    }
    let search = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
    return search.split(separator: ":").contains { isExecutable("\($0)/\(program)") }
  }

  private static func isExecutable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }
}
