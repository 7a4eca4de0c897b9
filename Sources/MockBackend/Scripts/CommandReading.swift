import BridgeIO
import BridgeProtocol

/// One run of a local command whose first output line is the value of a read.
@BridgeQueue
final class CommandReading {
  private let program: LocalCommand
  private let encoding: ValueEncoding
  private let name: String
  private var completion: (@BridgeQueue (Result<[UInt8], BluetoothError>) -> Void)?
  private var process: ChildProcess?
  private var timer: QueueTimer?

  /// - Parameters:
  ///   - name: for the log.
  ///   - completion: called once, unless the reading is cancelled; ATT error 14 if there is no value in time.
  init(
    _ program: LocalCommand, _ encoding: ValueEncoding, folder: String?, name: String,
    completion: @escaping @BridgeQueue (Result<[UInt8], BluetoothError>) -> Void
  ) {
    self.program = program
    self.encoding = encoding
    self.name = name
    self.completion = completion
    launch(in: folder)
  }

  /// Kills it; nobody is answered.
  func cancel() {
    completion = nil
    end()
  }

  private func launch(in folder: String?) {
    do throws(SystemError) {
      let process = try ChildProcess(program.arguments(in: folder), in: folder, maximumLine: program.maximumLine)
      process.onLine = { [weak self] in self?.received($0) }
      process.onEnd = { [weak self] _ in self?.fail("gave no value") }
      self.process = process
    } catch { return fail("\(error)") }
    timer = QueueTimer(after: .seconds(program.timeout)) { [weak self] in
      if let self { fail("gave no value within \(program.timeout) s") }
    }
  }

  private func received(_ line: UnsafeBufferPointer<UInt8>) {
    // What it says after that is of no use.
    guard completion != nil else { return }
    let text = String(decoding: line, as: UTF8.self)
    guard let value = encoding.value(of: encoding.format == .text ? text[...] : text.trimmed),
      value.count <= ProtocolLimits.maximumValueLength
    else { return fail("wrote no \(encoding.format.rawValue): \(text.prefix(80))") }
    finish(.success(value))
  }

  private func fail(_ reason: String) {
    guard completion != nil else { return }
    Log.notice("mock", "\(name): \(program.arguments[0]) \(reason)")
    finish(.failure(.attribute(0x0E)))
  }

  private func finish(_ result: Result<[UInt8], BluetoothError>) {
    let completion = completion
    self.completion = nil
    end()
    completion?(result)
  }

  private func end() {
    timer?.cancel()
    process?.terminate()
    process = nil
  }
}

extension LocalCommand {
  /// As it is started: a program that is named with a slash is seen from the folder.
  func arguments(in folder: String?) -> [String] {
    var arguments = arguments
    if arguments[0].contains("/") { arguments[0] = arguments[0].path(in: folder) }
    return arguments
  }
}
