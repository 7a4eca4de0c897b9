import BridgeProtocol
import TestSupport
import Testing

/// Files of the corpus, whole and damaged.
@Suite struct ConfigurationFuzzTests {
  @Test func theCorpusIsThere() { #expect(Corpus.files.count >= 7) }

  @Test(arguments: 0..<8)
  func damagedFilesAreReadOrRefused(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    for (name, bytes) in Corpus.files {
      check(bytes, name)
      for _ in 0..<120 {
        var text = bytes
        Mutation.apply(to: &text, using: &random)
        check(text, name)
      }
    }
  }

  /// What is read is the same when written and read again; what an upload may be, a file may be too.
  private func check(_ bytes: [UInt8], _ name: String) {
    var problems: [ConfigurationProblem] = []
    let file = MockConfigurationFile(bytes, name: "fuzz", problems: &problems)
    let lines = bytes.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
    #expect(problems.allSatisfy { $0.line >= 1 && $0.line <= lines && $0.column >= 1 && !$0.reason.isEmpty })
    let isGood = problems.allSatisfy { $0.severity == .warning }
    if isGood {
      var again: [ConfigurationProblem] = []
      let written = MockConfigurationFile(file.json(isComplete: true), name: "fuzz", problems: &again)
      #expect(again.allSatisfy { $0.severity == .warning }, "\(name): \(again)")
      #expect(written.configurations == file.configurations, "\(name)")
    }
    guard let text = try? JSONText(bytes), let upload = try? MockConfiguration(upload: text) else { return }
    #expect(isGood, "\(name)")
    #expect(file.configurations.first == upload || upload.name.isEmpty, "\(name)")
  }
}
