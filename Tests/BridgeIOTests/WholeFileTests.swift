import BridgeIO
import Glibc
import TestSupport
import Testing

@Suite struct WholeFileTests {
  private let folder = TemporaryFolder()

  @Test func aFileIsReplacedAsAWholeInFoldersThatAreMade() throws {
    let path = folder.file("a/b/c")
    #expect(try WholeFile.read(path, limit: 10) == nil)
    try WholeFile.replace(path, with: Array("one".utf8))
    try WholeFile.replace(path, with: "two".utf8)
    #expect(try WholeFile.read(path, limit: 3) == Array("two".utf8))
    #expect(throws: SystemError(call: "read", errno: EFBIG)) { try WholeFile.read(path, limit: 2) }
  }

  @Test func whatCannotBeWrittenIsAnError() {
    folder.write("", to: "file")
    #expect(throws: SystemError.self) { try WholeFile.replace(folder.file("file/x"), with: []) }
    #expect(throws: SystemError.self) { try WholeFile.read(folder.path, limit: 10) }
  }
}
