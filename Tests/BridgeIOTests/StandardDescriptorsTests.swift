import BridgeIO
import Glibc
import Testing

@Suite struct StandardDescriptorsTests {
  @Test func aProcessStartedWithoutStandardErrorWritesItsLogToNoSocket() async {
    await #expect(processExitsWith: .exitCode(17)) {
      close(STDERR_FILENO)
      StandardDescriptors.openMissing()
      var status = stat()
      guard fstat(STDERR_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { exit(1) }
      exit(17)
    }
  }
}
