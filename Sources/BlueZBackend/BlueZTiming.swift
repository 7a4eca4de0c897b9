/// How long `BlueZRadio` waits for what; the defaults are for a real bluetoothd, tests shorten them.
public struct BlueZTiming: Sendable {
  /// Without a bluetoothd or an adapter: time until the state says `unsupported`.
  public var absenceGrace: Duration = .seconds(3)
  /// After a bluetoothd restart: time until links that it claims are believed. One that was killed leaves its
  /// kernel links behind; the next one announces them and drops them moments later.
  public var restartSettle: Duration = .seconds(2)
  /// How long the end of a link is kept back, in case a power-off follows that explains it.
  public var powerSettle: Duration = .milliseconds(300)

  /// Time for a `Disconnect` to take effect; bluetoothd itself waits two seconds.
  public var closingLimit: Duration = .seconds(5)
  /// Time from a link to `ServicesResolved`; beyond it ATT is stuck.
  public var resolveLimit: Duration = .seconds(35)
  /// Time for the reply to a `Connect` whose link came and went.
  public var lostReplyLimit: Duration = .seconds(2)
  /// Time for `ServicesResolved` = false to be followed by `Connected` = false.
  public var unresolvedLimit: Duration = .seconds(1)
  public var connectRetryFirst: Duration = .milliseconds(300)
  public var connectRetryMaximum: Duration = .seconds(5)

  /// Time for the reply to a discovery call: bluetoothd forgets one of two that different programs make at once.
  public var scanCallLimit: Duration = .seconds(5)
  /// Wait after a `StartDiscovery` that was refused, doubled four times, and then each time. A bluetoothd that was
  /// killed leaves the kernel scanning for up to 10.24 s, which refuses the next one's.
  public var scanBusyDelay: Duration = .seconds(1)
  public var scanFailedDelay: Duration = .seconds(30)
  /// Scanning without a report for this long starts discovery anew; doubled, up to the maximum, while silence lasts.
  public var scanWatchdog: Duration = .seconds(30)
  public var scanWatchdogMaximum: Duration = .seconds(300)
  /// The longest break of the scan for a connect, and the least time between two.
  public var scanBreak: Duration = .seconds(5)
  public var scanBreakSpacing: Duration = .seconds(10)
  /// A device heard within this time counts as being there.
  public var heardRecently: Duration = .seconds(10)

  public var busRetryFirst: Duration = .milliseconds(250)
  public var busRetryMaximum: Duration = .seconds(5)
  public var stopLimit: Duration = .seconds(4)

  public init() {}
}
