import DBus
import Testing

@testable import BlueZBackend

@Suite struct AdapterSelectionTests {
  private func adapter(_ index: Int, _ address: String, powered: Bool = true, roles: [String]? = nil) -> Adapter1 {
    var properties: [String: Value] = ["Address": .string(address), "Powered": .boolean(powered)]
    if let roles { properties["Roles"] = .strings(roles) }
    return Adapter1(path: "/org/bluez/hci\(index)", properties: properties)
  }

  private let a = "00:00:00:00:00:0A"
  private let b = "00:00:00:00:00:0B"

  @Test func `the first powered adapter with LE is chosen`() {
    var selection = AdapterSelection(.automatic)
    let adapters = [
      adapter(10, a), adapter(2, b), adapter(1, "00:00:00:00:00:0C", powered: false),
      adapter(0, "00:00:00:00:00:0D", roles: []),
    ]
    #expect(selection.choose(from: adapters)?.name == "hci2")
  }

  @Test func `one that is off is chosen where none is on, until another is`() {
    var selection = AdapterSelection(.automatic)
    #expect(selection.choose(from: [adapter(0, a, powered: false), adapter(1, b, powered: false)])?.name == "hci0")
    #expect(selection.choose(from: [adapter(0, a, powered: false), adapter(1, b)])?.name == "hci1")
  }

  @Test func `the adapter in use stays chosen when it is switched off`() {
    var selection = AdapterSelection(.automatic)
    #expect(selection.choose(from: [adapter(0, a)])?.name == "hci0")
    #expect(selection.choose(from: [adapter(0, a, powered: false), adapter(1, b)])?.name == "hci0")
  }

  @Test func `a replugged adapter is known by its address`() {
    var selection = AdapterSelection(.automatic)
    #expect(selection.choose(from: [adapter(0, a), adapter(1, b)])?.name == "hci0")
    #expect(selection.choose(from: [adapter(1, b)])?.name == nil)
    #expect(selection.choose(from: [adapter(1, b), adapter(2, a)])?.name == "hci2")
  }

  @Test func `another takes the place of one that stays away`() {
    var selection = AdapterSelection(.automatic)
    _ = selection.choose(from: [adapter(0, a)])
    selection.forgetChoice()
    #expect(selection.choose(from: [adapter(1, b)])?.name == "hci1")
  }

  @Test func `a configured adapter is the only one`() throws {
    var byName = AdapterSelection(try #require(AdapterSelector("hci1")))
    #expect(byName.choose(from: [adapter(0, a)])?.name == nil)
    #expect(byName.choose(from: [adapter(0, a), adapter(1, b, powered: false)])?.name == "hci1")
    var byAddress = AdapterSelection(try #require(AdapterSelector("00:00:00:00:00:0b")))
    #expect(byAddress.choose(from: [adapter(0, a), adapter(5, b)])?.name == "hci5")
  }

  @Test(arguments: ["hci", "hci-1", "eth0", "", "00:11:22:33:44", "00:11:22:33:44:GG"])
  func `other texts name no adapter`(text: String) { #expect(AdapterSelector(text) == nil) }
}
