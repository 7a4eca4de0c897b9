import FoundationEssentials

/// Configuration files of all sorts, good and bad: Tests/BridgeProtocolTests/Corpus.
package enum Corpus {
  package static let files: [(name: String, bytes: [UInt8])] = {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let folder = tests.appending(path: "BridgeProtocolTests/Corpus")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      (try? Data(contentsOf: folder.appending(path: name))).map { (name, [UInt8]($0)) }
    }
  }()
}
