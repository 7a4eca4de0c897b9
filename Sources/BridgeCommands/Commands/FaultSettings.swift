import BridgeProtocol

/// What `bridge fault add` is told.
struct FaultSettings: ClientSettings {
  var socket = StandardSocket.preferred
  var json = false
  var operation: FaultOperation?
  var rule = FaultRule(.link)

  /// The rule that is meant; a link is struck now and once if nothing else is said.
  func completeRule() throws(UsageError) -> FaultRule {
    var rule = rule
    if let operation {
      rule.operation = operation
    } else {
      guard rule.drop || rule.changeServices else { throw UsageError("--operation is missing") }
      rule.count = rule.count ?? 1
    }
    if let problem = rule.problem { throw UsageError("\(problem.field): \(problem.reason)") }
    return rule
  }

  static var options: [Option<FaultSettings>] { [.socket, .json] + placeOptions + timeOptions + effectOptions }

  private static var placeOptions: [Option<FaultSettings>] {
    [
      Option(names: ["--device"], value: "ID|NAME", help: "Which device, as 'bridge scan' shows it (default: all).") {
        settings, text in
        settings.rule.id = PeripheralIdentifier(text)
        settings.rule.name = settings.rule.id == nil ? text : nil
      },
      .parsed(
        "--operation", value: "KIND",
        help:
          "What is struck: connect, disconnect, discoverServices,\ndiscoverIncludedServices, discoverCharacteristics,\n"
          + "discoverDescriptors, read, write, writeWithoutResponse,\nreadDescriptor, writeDescriptor, setNotify, readRSSI,\n"
          + "openL2CAP, request (any of these but connect and\ndisconnect), notification, advertisement, or link.",
        \.operation, expecting: "a kind of operation, see --help"
      ) { FaultOperation(rawValue: $0).map { .some($0) } },
      uuid(
        "--service", "Only attributes in this service; with --change-services\nthe service that changes.",
        \.rule.service),
      uuid("--characteristic", "Only this characteristic, such as 2A19.", \.rule.characteristic),
      uuid("--descriptor", "Only this descriptor.", \.rule.descriptor),
    ]
  }

  private static var timeOptions: [Option<FaultSettings>] {
    [
      .parsed(
        "--count", value: "N", help: "Strike so often, then never again (default: no end).", \.rule.count,
        expecting: "a number from 1"
      ) { number($0, from: 1).map { .some($0) } },
      .parsed("--after", value: "N", help: "Spare the first N of a device.", \.rule.after, expecting: "a number") {
        number($0, from: 0)
      },
      .parsed("--every", value: "N", help: "Strike each N-th only.", \.rule.every, expecting: "a number from 1") {
        number($0, from: 1)
      },
      .parsed(
        "--rate", value: "P", help: "Strike with this probability, 0 to 1.", \.rule.rate,
        expecting: "a number from 0 to 1"
      ) { Double($0).flatMap { (0...1).contains($0) ? $0 : nil } },
      .parsed(
        "--seed", value: "N",
        help: "What --rate and --jitter draw from (default 0): the same\nseed gives the same run.",
        \.rule.seed, expecting: "a number"
      ) { UInt64($0).map { .some($0) } },
      .flag("--per-link", help: "Count anew with each link.", \.rule.perLink),
    ]
  }

  private static var effectOptions: [Option<FaultSettings>] {
    [
      .parsed(
        "--att-error", value: "CODE", help: "Fail with this ATT error, such as 0x05.", \.rule.error,
        expecting: "a code from 0x01 to 0xFF"
      ) { code($0).flatMap(UInt8.init(exactly:)).flatMap { $0 > 0 ? .some(.attribute($0)) : nil } },
      .parsed(
        "--cb-error", value: "CODE",
        help: "Fail with this CBError, such as 10; with --drop how the\nend of the link is told.",
        \.rule.error, expecting: "a code from 0 to 16"
      ) { code($0).flatMap(BluetoothError.bluetooth).map { .some($0) } },
      .parsed(
        "--delay", value: "TIME", help: "Hold it back so long: 200ms, 1.5s. Order is kept.", \.rule.delay,
        expecting: "a time such as 200ms or 1.5s, up to an hour", seconds),
      .parsed(
        "--jitter", value: "TIME", help: "Hold it back by up to so much more, each time anew.", \.rule.jitter,
        expecting: "a time such as 200ms or 1.5s, up to an hour", seconds),
      .flag("--lose", help: "It is lost: never answered, never heard.", \.rule.lose),
      .flag("--drop", help: "End the link after it; without --operation now.", \.rule.drop),
      .flag(
        "--change-services", help: "Tell after it that the services have changed; without\n--operation now.",
        \.rule.changeServices),
    ]
  }

  private static func uuid(
    _ name: String, _ help: String, _ path: WritableKeyPath<FaultSettings, BluetoothUUID?>
  ) -> Option<FaultSettings> {
    .parsed(name, value: "UUID", help: help, path, expecting: "a UUID such as 180F") {
      BluetoothUUID($0).map { .some($0) }
    }
  }

  private static func number(_ text: String, from least: Int) -> Int? {
    Int32(text).map(Int.init).flatMap { $0 >= least ? $0 : nil }
  }

  private static func code(_ text: String) -> Int? {
    text.lowercased().hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }

  /// `200ms`, `1.5s`, `2` for seconds.
  static func seconds(_ text: String) -> Double? {
    let (digits, unit) =
      text.hasSuffix("ms") ? (text.dropLast(2), 0.001) : text.hasSuffix("s") ? (text.dropLast(1), 1) : (text[...], 1)
    guard let value = Double(digits).map({ $0 * unit }), (0...FaultRule.maximumDelay).contains(value) else {
      return nil
    }
    return value
  }
}
