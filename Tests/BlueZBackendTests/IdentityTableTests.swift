import BridgeIO
import BridgeProtocol
import Glibc
import Testing

@testable import BlueZBackend

@Suite @BridgeQueue struct IdentityTableTests {
  private let directory = TemporaryDirectory()
  private let device = BluetoothAddress("C0:11:22:33:44:55", .leRandom)!

  private func table(_ capacity: Int = 4096) -> IdentityTable {
    IdentityTable(directory: directory.path, capacity: capacity)
  }

  private func save(_ table: IdentityTable) async {
    await withCheckedContinuation { done in table.saveNow { done.resume() } }
  }

  @Test func `identifiers are the same after a restart, with nothing remembered`() {
    #expect(table().identifier(of: device) == table().identifier(of: device))
  }

  @Test func `another host gives another identifier`() {
    let other = TemporaryDirectory()
    #expect(table().identifier(of: device) != IdentityTable(directory: other.path).identifier(of: device))
  }

  @Test func `a public and a random address are two devices`() {
    let table = table()
    let other = BluetoothAddress(value: device.value, kind: .lePublic)
    #expect(table.identifier(of: device) != table.identifier(of: other))
  }

  @Test func `identifiers have the form of a random UUID`() {
    let text = table().identifier(of: device).text
    #expect(Array(text)[14] == "4" && "89AB".contains(Array(text)[19]))
  }

  @Test func `a remembered device is found again after a restart`() async {
    let first = table()
    let identifier = first.identifier(of: device)
    first.remember(identifier, device, name: "Sensor\t7\n")
    await save(first)
    let entry = table().entry(of: identifier)
    #expect(entry?.address == device)
    #expect(entry?.name == "Sensor7")
  }

  @Test func `a resolved address keeps the identifier that was handed out`() async {
    let first = table()
    let privateAddress = BluetoothAddress("44:11:22:33:44:55", .leRandom)!
    let identity = BluetoothAddress("00:AA:BB:CC:DD:EE", .lePublic)!
    let identifier = first.identifier(of: privateAddress)
    first.resolve(identifier, to: identity)
    #expect(first.identifier(of: identity) == identifier)
    await save(first)
    #expect(table().identifier(of: identity) == identifier)
    #expect(table().entry(of: identifier)?.address == identity)
  }

  @Test func `a damaged table is set aside and costs no identifier`() async {
    let first = table()
    let identifier = first.identifier(of: device)
    first.remember(identifier, device, name: nil)
    await save(first)
    directory.write("rubbish\u{0}", to: "peripherals")
    let second = table()
    #expect(second.count == 0)
    #expect(second.identifier(of: device) == identifier)
    #expect(directory.has("peripherals.damaged"))
  }

  @Test func `lines that can be read are kept beside one that cannot`() async {
    let first = table()
    let identifier = first.identifier(of: device)
    first.remember(identifier, device, name: nil)
    await save(first)
    directory.append("no line of ours\n", to: "peripherals")
    #expect(table().entry(of: identifier) != nil)
    #expect(directory.has("peripherals.damaged"))
  }

  @Test func `without a directory the table works in memory`() {
    let table = IdentityTable(directory: nil)
    let identifier = table.identifier(of: device)
    table.remember(identifier, device, name: "A")
    #expect(table.entry(of: identifier)?.name == "A")
  }

  @Test func `a directory that cannot be written is no reason to stop`() async {
    let table = IdentityTable(directory: "/proc/nowhere")
    let identifier = table.identifier(of: device)
    table.remember(identifier, device, name: nil)
    await save(table)
    #expect(table.entry(of: identifier) != nil)
  }

  @Test func `private addresses are forgotten first`() {
    let table = table(16)
    let identifier = table.identifier(of: device)
    table.remember(identifier, device, name: nil)
    for value in 0..<100 {
      let address = BluetoothAddress(value: 0x4000_0000_0000 + UInt64(value), kind: .leRandom)
      table.remember(table.identifier(of: address), address, name: nil)
    }
    #expect(table.count <= 16)
    #expect(table.entry(of: identifier) != nil)
  }
}

/// A directory that goes with its owner.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/bridge-test-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { unlink("\(path)/\(name)") }
    }
    closedir(directory)
    rmdir(path)
  }

  func has(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }
  func write(_ text: String, to name: String) { put(text, name, "w") }
  func append(_ text: String, to name: String) { put(text, name, "a") }

  private func put(_ text: String, _ name: String, _ mode: String) {
    let file = fopen("\(path)/\(name)", mode)!
    fputs(text, file)
    fclose(file)
  }
}
