import ExampleSupport
import Foundation
import Testing

/// The chat on the emulator's air, in several processes and without a service.
@Suite(.timeLimit(.minutes(3))) struct NetworkModeTests {
  private let port = "\(UInt16.random(in: 20000...60000))"

  private func start(_ role: String, _ name: String) throws -> Program {
    try Program("emulated-chat", [port, role, name])
  }

  @Test func processesThatNameTheSamePortMeet() async throws {
    let alice = try start("host", "Alice")
    try await alice.lines.line("* waiting for guests")
    let bob = try start("join", "Bob")
    try await bob.lines.lines(["* in the chat of Alice", "* long messages are possible"])
    bob.type("Hello")
    try await alice.lines.line("Bob: Hello")
    alice.type("Hi")
    try await bob.lines.line("Alice: Hi")
    let story = String(repeating: "and so on ", count: 1000)
    bob.type(story)
    try await alice.lines.line("Bob: \(story)")
  }

  @Test func theEmulatorMeetsAppsAtARunningService() async throws {
    let service = try Service()
    let alice = try Program("emulated-chat", [service.socket, "host", "Alice"])
    try await alice.lines.line("* waiting for guests")
    let bob = try service.program("chat", "join", "Bob")
    try await bob.lines.lines(["* in the chat of Alice", "* long messages are possible"])
    bob.type("Hello")
    try await alice.lines.line("Bob: Hello")
    alice.kill()
    try await bob.lines.next("end") { $0.hasPrefix("* Alice has gone") ? () : nil }
  }

  @Test func whoeverComesFirstServes() async throws {
    let bob = try start("join", "Bob")
    let alice = try start("host", "Alice")
    try await alice.lines.line("* waiting for guests")
    try await bob.lines.line("* in the chat of Alice")
    // Alice's process is a client of Bob's, or Bob's of hers: either way the other hears of the end.
    alice.kill()
    try await bob.lines.next("end") { $0.hasPrefix("* Alice has gone") ? () : nil }
  }
}
