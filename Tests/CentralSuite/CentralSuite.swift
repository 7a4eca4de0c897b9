public import CoreBluetooth
import EmulationTestSupport

/// The same checks of a central manager on every transport: the service in the process, over a socket with virtual devices,
/// over a socket with a real radio. They are made in order, with one connection for most of them.
public struct CentralSuite: Sendable {
  public typealias MakeManager =
    @Sendable (any CBCentralManagerDelegate, DispatchQueue?, [String: Any]?) -> CBCentralManager

  public struct Result: Sendable {
    public let check: String
    /// nil if it passed.
    public let problem: String?
  }

  private let makeManager: MakeManager

  public init(makeManager: @escaping MakeManager = { CBCentralManager(delegate: $0, queue: $1, options: $2) }) {
    self.makeManager = makeManager
  }

  /// Makes the checks whose names have one of these words, all if there are none; what others rely on is always made.
  public func run(_ words: [String] = [], report: (Result) -> Void) async {
    let app = SuiteApp(makeManager)
    let checks = Self.scanChecks + Self.discoveryChecks + Self.valueChecks + Self.channelChecks + Self.endChecks
    for check in checks where words.isEmpty || words.contains(where: { check.name.contains($0) }) {
      do {
        try await check.body(app)
        report(Result(check: check.name, problem: nil))
      } catch { report(Result(check: check.name, problem: "\(error)")) }
    }
    await app.close()
  }
}
