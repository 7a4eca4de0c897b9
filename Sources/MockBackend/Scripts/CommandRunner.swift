import BridgeIO
import BridgeProtocol

/// Runs a local command whose lines are values, and starts it again as its policy says.
@BridgeQueue
final class CommandRunner {
  private let program: LocalCommand
  private let encoding: ValueEncoding
  private let folder: String?
  private let name: String
  private let emit: @BridgeQueue ([UInt8]) -> Bool
  private var process: ChildProcess?
  private var timer: QueueTimer?
  /// A value for which there was no room.
  private var kept: [UInt8]?
  private var isRunning = false
  private var startedAt = ContinuousClock.now
  private var delay = CommandRunner.firstDelay
  private var secondEnd = ContinuousClock.now
  private var countInSecond = 0
  private var isOverRate = false
  private var badLines = 0

  private static let firstDelay = Duration.seconds(1)
  private static let longestDelay = Duration.seconds(60)
  private static let loggedBadLines = 5

  init(
    _ program: LocalCommand, _ encoding: ValueEncoding, folder: String?, name: String,
    emit: @escaping @BridgeQueue ([UInt8]) -> Bool
  ) {
    self.program = program
    self.encoding = encoding
    self.folder = folder
    self.name = name
    self.emit = emit
  }

  func begin() {
    isRunning = true
    launch()
  }

  func stop() {
    isRunning = false
    timer?.cancel()
    process?.terminate()
    process = nil
  }

  /// There is room for values again.
  func resume() {
    if let value = kept {
      kept = nil
      guard emit(value) else {
        kept = value
        return
      }
    }
    if !isOverRate { process?.resumeReading() }
  }

  // MARK: The process

  private func launch() {
    startedAt = .now
    do throws(SystemError) {
      let process = try ChildProcess(program.arguments(in: folder), in: folder, maximumLine: program.maximumLine)
      process.onLine = { [weak self] in self?.received($0) }
      process.onEnd = { [weak self] in self?.ended($0) }
      self.process = process
    } catch {
      Log.notice("mock", "\(name): \(error)")
      restart(after: .exited(127))
    }
  }

  private func ended(_ end: ChildProcess.End) {
    process = nil
    switch end {
    case .exited(0): Log.info("mock", "\(name): \(program.arguments[0]) has ended")
    case .exited(let status): Log.notice("mock", "\(name): \(program.arguments[0]) ended with status \(status)")
    case .killed(let signal): Log.notice("mock", "\(name): \(program.arguments[0]) ended by signal \(signal)")
    case .lineTooLong(let problem): Log.notice("mock", "\(name): \(program.arguments[0]) wrote \(problem)")
    }
    restart(after: end)
  }

  private func restart(after end: ChildProcess.End) {
    guard isRunning else { return }
    switch program.restart {
    case .never: return
    case .onFailure where end.isSuccess: return
    case .onFailure, .always: break
    }
    // One that had worked for a while may well do so again.
    if ContinuousClock.now - startedAt > Self.longestDelay { delay = Self.firstDelay }
    timer = QueueTimer(after: delay) { [weak self] in self?.launch() }
    delay = min(delay * 2, Self.longestDelay)
  }

  // MARK: Lines

  private func received(_ line: UnsafeBufferPointer<UInt8>) {
    limitRate()
    let text = String(decoding: line, as: UTF8.self)
    guard let value = encoding.value(of: encoding.format == .text ? text[...] : text.trimmed),
      value.count <= ProtocolLimits.maximumValueLength
    else { return complain(text) }
    guard !emit(value) else { return }
    kept = value
    process?.pauseReading()
  }

  /// A command that writes faster than it may waits for the next second.
  private func limitRate() {
    let now = ContinuousClock.now
    if now >= secondEnd {
      secondEnd = now + .seconds(1)
      countInSecond = 0
    }
    countInSecond += 1
    guard countInSecond >= program.maximumRate, !isOverRate else { return }
    isOverRate = true
    process?.pauseReading()
    timer = QueueTimer(after: secondEnd - now) { [weak self] in
      guard let self else { return }
      isOverRate = false
      if kept == nil { process?.resumeReading() }
    }
  }

  private func complain(_ text: String) {
    badLines += 1
    guard badLines <= Self.loggedBadLines else { return }
    Log.notice("mock", "\(name): \(program.arguments[0]) wrote no \(encoding.format.rawValue): \(text.prefix(80))")
  }
}

extension String {
  /// Without spaces around it.
  var trimmed: Substring {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return self[startIndex..<startIndex]
    }
    return self[first...last]
  }

  /// As seen from a folder, unless it begins with a slash.
  func path(in folder: String?) -> String {
    guard let folder, !hasPrefix("/") else { return self }
    return "\(folder)/\(self)"
  }
}
