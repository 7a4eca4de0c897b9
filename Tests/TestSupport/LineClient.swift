public import BridgeIO
public import BridgeProtocol
import Glibc

/// A client of a socket that speaks the wire: sends messages or any bytes, and waits for what comes.
@BridgeQueue
public final class LineClient {
  private let channel: LineChannel
  private let descriptor: CInt
  private var lines: [[UInt8]] = []
  private var waiter: CheckedContinuation<Void, Never>?
  public private(set) var isClosed = false

  public init(path: String) throws {
    let socket = try UnixSocket.connect(to: SocketPath(path))
    descriptor = socket.number
    channel = LineChannel(socket)
    channel.onLine = { [weak self] line in
      self?.lines.append(Array(line))
      self?.wake()
    }
    channel.onEnd = { [weak self] _ in
      self?.isClosed = true
      self?.wake()
    }
  }

  isolated deinit { channel.close() }

  // MARK: Sending

  public func send(_ message: ClientMessage) { channel.send { message.appendLine(to: &$0) } }

  /// One line, its end added.
  public func send(_ line: String) { send(bytes: Array("\(line)\n".utf8)) }

  public func send(bytes: [UInt8]) { channel.send(bytes) }

  /// Ends the sending side once all is sent; goes on reading.
  public func finishSending() {
    BridgeQueue.async { [self] in if channel.isOpen { shutdown(descriptor, CInt(SHUT_WR)) } }
  }

  /// ImpossiBLE's greeting; with features also bridge's.
  public func hello(_ bundleId: String = "example.app", pid: Int = 4711, features: Features? = nil) {
    send(.hello(Hello(clientVersion: "3.1.0", bundleId: bundleId, pid: pid, features: features?.names)))
  }

  // MARK: Receiving

  public func pauseReading() { channel.pauseReading() }
  public func resumeReading() { channel.resumeReading() }

  /// What has come and was not asked for yet.
  public var pendingLines: Int { lines.count }

  /// The next line; nil when the connection is closed or nothing comes in time.
  public func nextLine(within limit: Duration = .seconds(30)) async -> [UInt8]? {
    let timer = QueueTimer(after: limit) { [weak self] in self?.wake() }
    while lines.isEmpty, !isClosed, timer.isPending {
      await wait { !lines.isEmpty || isClosed || !timer.isPending }
    }
    timer.cancel()
    return lines.isEmpty ? nil : lines.removeFirst()
  }

  public func next(within limit: Duration = .seconds(30)) async throws -> ServerMessage? {
    guard let line = await nextLine(within: limit) else { return nil }
    return try ServerMessage(line: line)
  }

  /// The next message of that type, others passed over.
  public func next(_ type: String) async throws -> ServerMessage? {
    while let message = try await next() { if message.type == type { return message } }
    return nil
  }

  /// What comes until the answer to a `status`, which is asked for behind all that was sent; the client needs `control`.
  public func messagesUntilStatus() async throws -> [ServerMessage] {
    send(.status(Status()))
    var messages: [ServerMessage] = []
    while let message = try await next() {
      if case .didReportStatus = message { return messages }
      messages.append(message)
    }
    return messages
  }

  /// Whether the other side closes in time; lines before that are thrown away.
  public func closes(within limit: Duration = .seconds(30)) async -> Bool {
    let timer = QueueTimer(after: limit) { [weak self] in self?.wake() }
    while !isClosed, timer.isPending { await wait { isClosed || !timer.isPending } }
    timer.cancel()
    return isClosed
  }

  public func close() {
    channel.close()
    isClosed = true
    wake()
  }

  /// Waits to be woken, unless `isDone` already: a suspension may come between a caller's look and this one.
  private func wait(unless isDone: () -> Bool) async {
    await withCheckedContinuation { continuation in
      if isDone() { continuation.resume() } else { waiter = continuation }
    }
  }

  private func wake() {
    let waiter = waiter
    self.waiter = nil
    waiter?.resume()
  }
}
