import BridgeIO
import Glibc
import TestSupport
import Testing

@Suite struct BackgroundFolderTests {
  @BridgeQueue private func close(_ folder: BackgroundFolder) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      folder.close { continuation.resume() }
    }
  }

  @Test @BridgeQueue func linesReachTheirOwnFiles() async throws {
    let temporary = TemporaryFolder()
    let folder = try BackgroundFolder(path: temporary.file("all"))
    let files = (0..<3).map { folder.open("\($0)") }
    for number in 0..<999 { #expect(folder.append(Array("\(number)\n".utf8), to: files[number % 3])) }
    folder.end(files[0])
    await close(folder)
    for file in 0..<3 {
      #expect(temporary.read("all/\(file)") == stride(from: file, to: 999, by: 3).map { "\($0)\n" }.joined())
    }
  }

  @Test @BridgeQueue func onlyTheOwnerMayRead() async throws {
    let temporary = TemporaryFolder()
    let folder = try BackgroundFolder(path: temporary.file("new"))
    _ = folder.open("file")
    await close(folder)
    var file = stat()
    stat(temporary.file("new/file"), &file)
    #expect(file.st_mode & 0o777 == 0o600)
    stat(temporary.file("new"), &file)
    #expect(file.st_mode & 0o777 == 0o700)
  }

  @Test @BridgeQueue func aFileThatCannotBeMadeTakesNoMoreAndTheOthersDo() async throws {
    let temporary = TemporaryFolder()
    let folder = try BackgroundFolder(path: temporary.path)
    temporary.write("another's", to: "taken")
    let (taken, free) = (folder.open("taken"), folder.open("free"))
    #expect(await eventually { !folder.append(Array("lost\n".utf8), to: taken) })
    #expect(folder.append(Array("kept\n".utf8), to: free))
    await close(folder)
    #expect(temporary.read("taken") == "another's")
    #expect(temporary.read("free") == "kept\n")
  }

  @Test @BridgeQueue func aLinkPutThereIsNotFollowed() async throws {
    let temporary = TemporaryFolder()
    let folder = try BackgroundFolder(path: temporary.path)
    symlink(temporary.file("elsewhere"), temporary.file("link"))
    let file = folder.open("link")
    #expect(await eventually { !folder.append([10], to: file) })
    await close(folder)
    #expect(temporary.read("elsewhere") == nil)
  }

  @Test @BridgeQueue func whatTheDiskDoesNotTakeInTimeEndsTheFileAtAWholeLine() async throws {
    let temporary = TemporaryFolder()
    let folder = try BackgroundFolder(path: temporary.path, limit: 10)
    let file = folder.open("file")
    #expect(folder.append(Array("12345\n".utf8), to: file))
    #expect(!folder.append(Array(repeating: 0, count: 11), to: file))
    #expect(!folder.append(Array("7\n".utf8), to: file))
    await close(folder)
    #expect(temporary.read("file") == "12345\n")
  }

  @Test func aFolderThatCannotBeMadeIsAnErrorAtOnce() {
    #expect(throws: SystemError(call: "mkdir", errno: ENOENT)) { try BackgroundFolder(path: "/no/such/folder") }
    #expect(throws: SystemError.self) { try BackgroundFolder(path: "/dev/null") }
  }
}
