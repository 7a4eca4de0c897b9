import BridgeIO
import Glibc
import TestSupport
import Testing

@Suite struct BackgroundFileTests {
  @BridgeQueue private func close(_ file: BackgroundFile) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      file.close { continuation.resume() }
    }
  }

  @Test @BridgeQueue func everyLineIsInTheFileWhenItIsClosed() async throws {
    let folder = TemporaryFolder()
    let file = try BackgroundFile(path: folder.file("log"))
    for number in 0..<1000 { file.append(Array("\(number)\n".utf8)) }
    await close(file)
    #expect(folder.read("log") == (0..<1000).map { "\($0)\n" }.joined())
  }

  @Test @BridgeQueue func reopeningFollowsARotation() async throws {
    let folder = TemporaryFolder()
    let file = try BackgroundFile(path: folder.file("log"))
    file.append(Array("before\n".utf8))
    #expect(await eventually { folder.read("log") == "before\n" })
    rename(folder.file("log"), folder.file("log.1"))
    file.reopen()
    file.append(Array("after\n".utf8))
    await close(file)
    #expect(folder.read("log.1") == "before\n")
    #expect(folder.read("log") == "after\n")
  }

  @Test @BridgeQueue func aFullDiskIsSurvived() async throws {
    let file = try BackgroundFile(path: "/dev/full")
    for _ in 0..<10 { file.append(Array("lost\n".utf8)) }
    await close(file)
  }

  @Test func aPathThatCannotBeOpenedIsAnErrorAtOnce() {
    #expect(throws: SystemError(call: "open", errno: ENOENT)) { try BackgroundFile(path: "/no/such/folder/log") }
  }
}
