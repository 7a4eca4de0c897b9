import BridgeIO
import Glibc
import Testing

@Suite struct BridgeQueueTests {
  @Test func blocksRunInOrderOfSubmission() async {
    let seen = await withCheckedContinuation { continuation in
      let order = Order()
      for number in 0..<1000 { BridgeQueue.async { order.numbers.append(number) } }
      BridgeQueue.async { continuation.resume(returning: order.numbers) }
    }
    #expect(seen == Array(0..<1000))
  }

  @Test @BridgeQueue func aTimerFiresInOrderOfDeadlineAndNeverEarly() async {
    let start = ContinuousClock.now
    let fired = await withCheckedContinuation { continuation in
      var fired: [Int] = []
      QueueTimer(after: .milliseconds(20)) {
        fired.append(2)
        continuation.resume(returning: fired)
      }
      QueueTimer(after: .milliseconds(10)) { fired.append(1) }
      let cancelled = QueueTimer(after: .milliseconds(5)) { fired.append(0) }
      cancelled.cancel()
    }
    #expect(fired == [1, 2])
    #expect(ContinuousClock.now - start >= .milliseconds(20))
  }

  @Test @BridgeQueue func aCancelledWatchCallsNobodyEvenForAnEventAlreadyWaiting() async throws {
    var first: [CInt] = [0, 0]
    var second: [CInt] = [0, 0]
    try check("pipe") { pipe(&first) }
    try check("pipe") { pipe(&second) }
    var calls = 0
    var watches: [DescriptorWatch] = []
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      for end in [first[0], second[0]] {
        watches.append(
          DescriptorWatch(end, for: .reading) { _ in
            calls += 1
            for watch in watches { watch.cancel() }
            QueueTimer(after: .milliseconds(5)) { continuation.resume() }
          })
      }
      write(first[1], "x", 1)
      write(second[1], "x", 1)
    }
    #expect(calls == 1)
    for end in first + second { close(end) }
  }
}

@BridgeQueue private final class Order: Sendable {
  var numbers: [Int] = []
  nonisolated init() {}
}
