/// When what is recorded happens again.
struct ReplayPace {
  /// Whether everything comes as soon as it can.
  let isFast: Bool

  /// - Parameter seconds: as recorded.
  func time(_ seconds: Double, after moment: ContinuousClock.Instant) -> ContinuousClock.Instant {
    isFast || seconds <= 0 ? moment : moment + .seconds(seconds)
  }
}
