import BridgeIO
import BridgeProtocol

/// Runs a source: gives its values at their times.
@BridgeQueue
final class SourceRunner {
  private let source: ValueSource
  private let random: SplitMix64
  private let folder: String?
  private let name: String
  /// False if there is no room for the value; `resume` is called when there is.
  private let emit: @BridgeQueue ([UInt8]) -> Bool
  private var generator: ValueGenerator?
  private var next: ValueGenerator.Timed?
  private var start = ContinuousClock.now
  private var timer: QueueTimer?
  private var command: CommandRunner?
  private var rows: [ValueSource.TimedValue]?
  private(set) var isRunning = false
  private var isBlocked = false
  /// The file is being read; once is enough however often the source begins meanwhile.
  private var isLoading = false

  /// Values given in one turn, so that others get theirs.
  private static let burst = 512
  /// Who is later than this does not catch up.
  private static let patience = Duration.seconds(1)

  /// - Parameter name: for the log.
  init(
    _ source: ValueSource, random: SplitMix64, folder: String?, name: String,
    emit: @escaping @BridgeQueue ([UInt8]) -> Bool
  ) {
    self.source = source
    self.random = random
    self.folder = folder
    self.name = name
    self.emit = emit
  }

  // MARK: Running

  /// From the beginning.
  func begin() {
    stop()
    isRunning = true
    switch source.kind {
    case .command(let program):
      command = CommandRunner(program, source.encoding, folder: folder, name: name) { [weak self] in
        self?.take($0) ?? true
      }
      command?.begin()
    case .csv(let file) where rows == nil: load(file)
    default: beginValues()
    }
  }

  func stop() {
    isRunning = false
    isBlocked = false
    timer?.cancel()
    timer = nil
    command?.stop()
    command = nil
  }

  /// There is room again.
  func resume() {
    guard isRunning, isBlocked else { return }
    isBlocked = false
    if let command { command.resume() } else { turn() }
  }

  private func load(_ file: CSVFile) {
    guard !isLoading else { return }
    isLoading = true
    CSVTable.load(file, source.encoding, folder: folder) { [weak self] result in
      guard let self else { return }
      isLoading = false
      switch result {
      case .success(let rows): self.rows = rows
      case .failure(let problem):
        self.rows = []
        Log.notice("mock", "\(name): \(file.path): \(problem.reason)")
      }
      if isRunning { beginValues() }
    }
  }

  private func beginValues() {
    var generator = ValueGenerator(source, rows: rows ?? [], random: random)
    next = generator.next()
    self.generator = generator
    start = .now
    wait()
  }

  // MARK: Values at their times

  private func wait() {
    guard let next, isRunning else { return }
    timer = QueueTimer(after: start + .seconds(next.at) - .now) { [weak self] in self?.turn() }
  }

  private func turn() {
    let now = ContinuousClock.now
    if let next, now - (start + .seconds(next.at)) > Self.patience { start = now - .seconds(next.at) }
    var count = 0
    while isRunning, let due = next, start + .seconds(due.at) <= now, count < Self.burst {
      guard ScriptBudget.take() else {
        timer = QueueTimer(after: ScriptBudget.pause) { [weak self] in self?.turn() }
        return
      }
      guard take(due.value) else { return }
      next = generator?.next()
      count += 1
    }
    wait()
  }

  private func take(_ value: [UInt8]) -> Bool {
    if emit(value) { return true }
    isBlocked = true
    return false
  }
}
