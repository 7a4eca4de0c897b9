import BridgeProtocol

/// `bridge mock validate`: what is wrong with a file.
struct ConfigurationCheck {
  let path: String
  let json: Bool

  func run(asUpload: Bool) throws(ServiceClient.Failure) -> ExitStatus {
    do throws(ConfigurationFailure) {
      let file = try ConfigurationFile(path)
      var problems = file.problems + file.references.compactMap(LocalReferenceCheck.problem)
      problems.sort { ($0.line, $0.column) < ($1.line, $1.column) }
      if asUpload, !problems.contains(where: { $0.severity == .error }) { problems = try uploadProblems() }
      let hasErrors = problems.contains { $0.severity == .error }
      if json {
        for problem in problems { Terminal.say(Self.json(problem, path)) }
      } else {
        for line in file.lines(problems) { Terminal.say(Terminal.clean(line)) }
        if !hasErrors { Terminal.say(summary(file)) }
      }
      return hasErrors ? .nothingFound : .success
    } catch { throw ServiceClient.Failure(text: error.text, status: .failure) }
  }

  /// An upload is refused for its first mistake.
  private func uploadProblems() throws(ConfigurationFailure) -> [ConfigurationProblem] {
    do {
      _ = try MockConfiguration(upload: JSONText(try ConfigurationFile.bytes(path)))
      return []
    } catch let error as ConfigurationProblem {
      return [error]
    } catch let error as ConfigurationFailure {
      throw error
    } catch {
      return [ConfigurationProblem(path: "", reason: "\(error)")]
    }
  }

  private func summary(_ file: ConfigurationFile) -> String {
    let configurations = file.file.configurations
    let devices = MockListing.count(of: configurations.reduce(0) { $0 + $1.devices.count })
    let count = configurations.count == 1 ? "1 configuration" : "\(configurations.count) configurations"
    return Terminal.clean("\(path): \(count), \(devices): it can be served.")
  }

  private static func json(_ problem: ConfigurationProblem, _ path: String) -> String {
    MockListing.object([
      "file": .string(path), "line": .integer(problem.line), "column": .integer(problem.column),
      "severity": .string(problem.severity == .error ? "error" : "warning"), "field": .string(problem.path),
      "problem": .string(problem.reason),
    ])
  }
}
