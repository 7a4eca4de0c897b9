import Testing

@testable import BlueZBackend

@Suite struct RequestQueueTests {
  /// A reference, because `#expect` cannot call what mutates.
  private final class Queue {
    typealias Limits = RequestQueue<String>.Limits
    private var queue: RequestQueue<String>
    init(limits: Limits = Limits()) { queue = RequestQueue(limits: limits) }
    var isFull: Bool { queue.isFull }
    func append(_ request: String, isCommand: Bool, valueBytes: Int) -> Bool {
      queue.append(request, isCommand: isCommand, valueBytes: valueBytes)
    }
    func next() -> String? { queue.next() }
    func requestFinished() { queue.requestFinished() }
    func commandFinished() -> Bool { queue.commandFinished() }
    func removeAll() -> [String] { queue.removeAll() }
  }

  private func queue(_ requests: String..., limits: Queue.Limits = Queue.Limits()) -> Queue {
    let queue = Queue(limits: limits)
    for request in requests {
      #expect(queue.append(request, isCommand: request.hasPrefix("command"), valueBytes: 0))
    }
    return queue
  }

  private func drain(_ queue: Queue) -> [String] {
    var sent: [String] = []
    while let request = queue.next() { sent.append(request) }
    return sent
  }

  @Test func `one request is out at a time`() {
    let queue = queue("read 1", "read 2")
    #expect(drain(queue) == ["read 1"])
    queue.requestFinished()
    #expect(drain(queue) == ["read 2"])
  }

  @Test func `commands do not wait for each other, a request follows them, they never pass a request`() {
    let queue = queue("command 1", "command 2", "write 3", "command 4", "command 5", "read 6")
    #expect(drain(queue) == ["command 1", "command 2", "write 3"])
    queue.requestFinished()
    #expect(drain(queue) == ["command 4", "command 5", "read 6"])
  }

  @Test func `commands in flight are limited, and a request behind them waits its turn`() {
    var limits = Queue.Limits()
    limits.commandsInFlight = 2
    let queue = queue("command 1", "command 2", "command 3", "read 4", limits: limits)
    #expect(drain(queue) == ["command 1", "command 2"])
    _ = queue.commandFinished()
    #expect(drain(queue) == ["command 3", "read 4"])
  }

  @Test func `full at the limit, resumed once when enough are done`() {
    let queue = Queue()
    for index in 0..<15 { #expect(queue.append("command \(index)", isCommand: true, valueBytes: 20)) }
    #expect(!queue.isFull)
    #expect(queue.append("command 15", isCommand: true, valueBytes: 20))
    #expect(queue.isFull)
    #expect(drain(queue).count == 16)
    var resumed: [Int] = []
    for done in 1...16 where queue.commandFinished() { resumed.append(done) }
    #expect(resumed == [8])
    #expect(!queue.isFull)
  }

  @Test func `what waits is limited by its bytes`() {
    var limits = Queue.Limits()
    limits.waitingBytes = 2000
    let queue = Queue(limits: limits)
    #expect(queue.append("read", isCommand: false, valueBytes: 0))
    #expect(queue.next() == "read")
    #expect(queue.append("write 1", isCommand: false, valueBytes: 512))
    #expect(queue.append("write 2", isCommand: false, valueBytes: 512))
    #expect(!queue.append("write 3", isCommand: false, valueBytes: 512))
    queue.requestFinished()
    #expect(queue.next() == "write 1")
    #expect(queue.append("write 4", isCommand: false, valueBytes: 512))
  }

  @Test func `what waits can be taken out`() {
    let queue = queue("read 1", "read 2", "command 3", "read 4")
    #expect(queue.next() == "read 1")
    #expect(queue.removeAll() == ["read 2", "command 3", "read 4"])
    queue.requestFinished()
    #expect(drain(queue) == [])
  }

  @Test func `ten thousand requests keep their order`() {
    let queue = Queue()
    var sent: [String] = []
    for index in 0..<10_000 {
      #expect(queue.append("\(index)", isCommand: false, valueBytes: 0))
      if index % 3 == 0, let request = queue.next() {
        sent.append(request)
        queue.requestFinished()
      }
    }
    while let request = queue.next() {
      sent.append(request)
      queue.requestFinished()
    }
    #expect(sent == (0..<10_000).map(String.init))
  }
}
