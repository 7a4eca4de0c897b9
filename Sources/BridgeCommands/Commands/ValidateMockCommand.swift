import BridgeProtocol

/// `bridge mock validate`: what is wrong with a file.
enum ValidateMockCommand: Command {
  static let name = "mock validate"
  static let summary = "Checks a file of virtual devices: line, field and mistake."
  static let discussion = """
    Checks a file in ImpossiBLE's format without serving it. Each mistake is a line 'file:line:column: error: field:
    mistake'; warnings do not keep it from being served. Files and programs that it names have to be there and to give
    values; served, a device whose source lacks its file just has no values.

    Exit status 1 says that there is a mistake.
    """
  static var options: [Option<MockSettings>] {
    [
      .flag(
        "--upload",
        help: "As strictly as a client's upload is checked, which must have\nevery key and ends at the first "
          + "mistake.", \.asUpload), .flag("--json", help: "One JSON object per mistake and line.", \.json),
    ]
  }
  static var operand: Operand<MockSettings>? { .subject("FILE") }
  static func settings() -> MockSettings { MockSettings() }

  static func run(_ settings: MockSettings) -> ExitStatus {
    settings.withSubject("FILE") { (path) throws(ServiceClient.Failure) in
      try ConfigurationCheck(path: path, json: settings.json).run(asUpload: settings.asUpload)
    }
  }
}
