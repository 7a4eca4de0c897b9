import BridgeIO

/// The links that this service holds or is making, in the file `links`, so that the next one ends those that a killed one
/// has left: bluetoothd keeps a link when the program that asked for it dies, and a linked device does not advertise.
///
/// Only links of the very bluetoothd that is running count; with it they would have ended. A lock keeps two services with
/// the same directory from ending each other's links: the one that comes second writes nothing down.
@BridgeQueue
final class LinkJournal {
  private let directory: String?
  private var lock: LockFile?
  private var daemon: String?
  /// Object paths.
  private var held: Set<String> = []
  private var isWriting = false
  private var isDirty = false
  private var closing: (@BridgeQueue () -> Void)?

  /// What a journal may weigh; a larger file is not ours.
  private static let sizeLimit = 1 << 20
  private static let header = "bridge links 1 "

  /// - Parameter directory: where the file is kept; nil keeps none.
  init(directory: String?) { self.directory = directory }

  private var path: String { (directory ?? "") + "/links" }

  /// Starts anew for this bluetoothd, named so that no other has ever had the name on this machine.
  ///
  /// - Returns: what a killed service has left to it.
  func begin(daemon: String) -> Set<String> {
    guard daemon != self.daemon else { return [] }
    self.daemon = daemon
    held = []
    guard takeLock() else { return [] }
    let leftovers = read(daemon)
    save()
    return leftovers
  }

  /// The link to the device at `path` is ours to end, or not any more.
  func note(_ path: String, isHeld: Bool) {
    let isNews = isHeld ? held.insert(path).inserted : held.remove(path) != nil
    if isNews { save() }
  }

  /// All links are ended. `completion` follows when the file says so.
  func close(completion: @escaping @BridgeQueue () -> Void) {
    held = []
    closing = completion
    save()
    if !isWriting { finish() }
  }

  private func finish() {
    daemon = nil
    lock = nil
    closing?()
    closing = nil
  }

  // MARK: The file

  private func takeLock() -> Bool {
    if lock != nil { return true }
    guard let directory else { return false }
    do {
      try? WholeFile.makeFolder(directory)
      lock = try LockFile(locking: path + ".lock")
      return true
    } catch {
      Log.info("link", "links are not written down: \(error)")
      return false
    }
  }

  private func read(_ daemon: String) -> Set<String> {
    guard let content = try? WholeFile.read(path, limit: Self.sizeLimit) else { return [] }
    let lines = String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
    return lines.first == Self.header + daemon ? Set(lines.dropFirst()) : []
  }

  /// One write at a time, off the queue, so that the last state is what stays.
  private func save() {
    guard lock != nil, let daemon else { return }
    isDirty = true
    guard !isWriting else { return }
    isDirty = false
    isWriting = true
    let text = ([Self.header + daemon] + held.sorted()).joined(separator: "\n") + "\n"
    let path = path
    Task.detached {
      do throws(SystemError) { try WholeFile.replace(path, with: text.utf8) } catch {
        Log.error("link", "\(path) could not be written: \(error)")
      }
      BridgeQueue.async { self.didWrite() }
    }
  }

  private func didWrite() {
    isWriting = false
    if isDirty { return save() }
    if closing != nil { finish() }
  }
}
