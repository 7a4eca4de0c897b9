import ExampleSupport
import Testing

/// The built program, several of it, with the service between them.
@Suite(.timeLimit(.minutes(3))) struct ChatTests {
  private let service: Service

  init() throws { service = try Service() }

  private func host(_ name: String) async throws -> Program {
    let host = try service.program("chat", "host", name)
    try await host.lines.line("* waiting for guests")
    return host
  }

  private func guest(_ name: String, of host: Program, named hostName: String) async throws -> Program {
    let guest = try service.program("chat", "join", name)
    try await guest.lines.lines(["* in the chat of \(hostName)", "* long messages are possible"])
    try await host.lines.line("* a guest has come")
    return guest
  }

  @Test func messagesGoBothWays() async throws {
    let alice = try await host("Alice")
    let bob = try await guest("Bob", of: alice, named: "Alice")
    bob.type("Is somebody there?")
    try await alice.lines.line("Bob: Is somebody there?")
    alice.type("Nobody but me. Grüße!")
    try await bob.lines.line("Alice: Nobody but me. Grüße!")
  }

  @Test func longMessagesGoThroughAChannel() async throws {
    let alice = try await host("Alice")
    let bob = try await guest("Bob", of: alice, named: "Alice")
    let story = String(repeating: "Once upon a time ", count: 4000)
    bob.type(story)
    try await alice.lines.line("Bob: \(story)")
    alice.type(story)
    try await bob.lines.line("Alice: \(story)")
  }

  @Test func guestsHearEachOther() async throws {
    let alice = try await host("Alice")
    let bob = try await guest("Bob", of: alice, named: "Alice")
    let carol = try await guest("Carol", of: alice, named: "Alice")
    bob.type("Hello all")
    try await carol.lines.line("Bob: Hello all")
    try await alice.lines.line("Bob: Hello all")
    carol.type("Hello Bob")
    try await bob.lines.line("Carol: Hello Bob")
  }

  @Test func aGuestHearsThatTheHostWasKilledAndFindsTheNextOne() async throws {
    let alice = try await host("Alice")
    let bob = try await guest("Bob", of: alice, named: "Alice")
    alice.kill()
    try await bob.lines.line("* Alice has gone: The specified device has disconnected from us.")
    let dora = try await host("Dora")
    try await bob.lines.lines(["* in the chat of Dora", "* long messages are possible"])
    try await dora.lines.line("* a guest has come")
    dora.type("Hello")
    try await bob.lines.line("Dora: Hello")
  }

  @Test func theHostHearsThatAGuestLeavesOrIsKilled() async throws {
    let alice = try await host("Alice")
    let bob = try await guest("Bob", of: alice, named: "Alice")
    let carol = try await guest("Carol", of: alice, named: "Alice")
    bob.endInput()
    #expect(try await bob.end() == 0)
    try await alice.lines.line("* a guest has left")
    carol.kill()
    try await alice.lines.line("* a guest has left")
  }

  @Test func bothComeBackWhenTheServiceDoes() async throws {
    let alice = try await host("Alice")
    let bob = try await guest("Bob", of: alice, named: "Alice")
    service.kill()
    try await alice.lines.line("* Bluetooth is not available")
    try await bob.lines.line("* Bluetooth is not available")
    try service.start()
    try await alice.lines.line("* waiting for guests")
    try await bob.lines.line("* in the chat of Alice")
    bob.type("Where were we?")
    try await alice.lines.line("Bob: Where were we?")
  }
}
