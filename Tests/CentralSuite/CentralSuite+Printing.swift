import Foundation

extension CentralSuite {
  /// Makes checks and prints a line for each: "ok NAME" or "failed NAME: WHY".
  ///
  /// - Returns: whether all have passed.
  public func runPrinting(_ words: [String]) async -> Bool {
    var allPassed = true
    await run(words) { result in
      if result.problem != nil { allPassed = false }
      let line = result.problem.map { "failed \(result.check): \($0)\n" } ?? "ok \(result.check)\n"
      FileHandle.standardOutput.write(Data(line.utf8))
    }
    return allPassed
  }
}
