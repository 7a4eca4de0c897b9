public import Testing

/// For tests that choose the service of all managers of the process: one of them runs at a time, whatever its suite.
public struct ProcessTurn: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Turns.shared.take()
    do { try await function() } catch {
      await Turns.shared.pass()
      throw error
    }
    await Turns.shared.pass()
  }
}

extension Trait where Self == ProcessTurn {
  /// Runs alone among those that choose the service of the process.
  public static var choosesService: Self { Self() }
}

private actor Turns {
  static let shared = Turns()
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func pass() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
