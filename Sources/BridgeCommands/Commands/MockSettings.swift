import BridgeProtocol

/// What the `bridge mock` commands take.
struct MockSettings: StateSettings {
  var socket = StandardSocket.preferred
  var json = false
  var stateDirectory = StateDirectory.preferred
  /// A name or a file.
  var subject = ""
  /// To import under.
  var name = ""
  var asUpload = false

  var library: ConfigurationLibrary { ConfigurationLibrary(stateDirectory: stateDirectory) }

  /// Runs `body` with the one operand; what goes wrong is told on standard error.
  func withSubject(
    _ kind: String, _ body: (String) throws(ServiceClient.Failure) -> ExitStatus
  ) -> ExitStatus {
    do throws(ServiceClient.Failure) {
      guard !subject.isEmpty else { throw ServiceClient.Failure(text: "\(kind) is missing", status: .usage) }
      return try body(subject)
    } catch {
      Terminal.complain("bridge: \(error.text)")
      return error.status
    }
  }
}

extension Operand<MockSettings> {
  /// One, needed.
  static func subject(_ value: String) -> Self {
    Operand(value: value) { (settings, text) throws(UsageError) in
      guard settings.subject.isEmpty else { throw UsageError("unexpected argument '\(text)'") }
      settings.subject = text
    }
  }
}

extension ServiceClient.Failure {
  init(_ failure: ConfigurationFailure) { self.init(text: failure.text, status: .failure) }
}
