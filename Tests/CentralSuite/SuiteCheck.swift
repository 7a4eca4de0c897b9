/// One thing that an app in the central role relies on.
struct SuiteCheck: Sendable {
  /// Statements of the behaviour that is checked, and what it is in words.
  let name: String
  let body: @Sendable (SuiteApp) async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (SuiteApp) async throws -> Void) {
    self.name = name
    self.body = body
  }
}
