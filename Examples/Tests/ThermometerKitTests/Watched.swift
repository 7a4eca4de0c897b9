@preconcurrency import CoreBluetooth
import ExampleSupport
import ThermometerKit

/// The app's class, and what it tells.
final class Watched {
  let app = Thermometer()
  private let inbox = Inbox<Thermometer.Event>()
  private let reading: Task<Void, Never>

  init() {
    let (events, inbox) = (app.events, inbox)
    reading = Task { for await event in events { inbox.add(event) } }
  }

  deinit { reading.cancel() }

  /// What `match` makes of the first event that it makes something of.
  @discardableResult
  func next<Result>(_ what: String, _ match: (Thermometer.Event) -> Result?) async throws -> Result {
    try await inbox.next(what, match)
  }

  func connection() async throws -> CBPeripheral {
    try await next("connection") { if case .connected(let peripheral) = $0 { peripheral } else { nil } }
  }

  func measurement() async throws -> Temperature {
    try await next("measurement") { if case .measured(let temperature) = $0 { temperature } else { nil } }
  }

  func failure() async throws -> any Error {
    try await next("failure") { if case .failed(let error) = $0 { error } else { nil } }
  }

  func disconnection() async throws -> (any Error)? {
    try await next("disconnection") { if case .disconnected(let error) = $0 { .some(error) } else { nil } }
  }
}
