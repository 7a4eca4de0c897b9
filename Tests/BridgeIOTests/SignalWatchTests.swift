import BridgeIO
import Glibc
import TestSupport
import Testing

@Suite struct SignalWatchTests {
  @Test @BridgeQueue func aBlockedSignalArrivesOnTheQueue() async throws {
    // To this thread alone: the test process's others have not blocked it.
    SignalWatch.block([SIGUSR2])
    var watch: SignalWatch?
    let signal = try await withCheckedThrowingContinuation { continuation in
      do {
        watch = try SignalWatch([SIGUSR2]) { continuation.resume(returning: $0) }
        pthread_kill(pthread_self(), SIGUSR2)
      } catch { continuation.resume(throwing: error) }
    }
    #expect(signal == SIGUSR2)
    watch?.cancel()
  }
}
