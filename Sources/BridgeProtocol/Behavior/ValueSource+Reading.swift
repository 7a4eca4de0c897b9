extension ValueSource {
  /// More would not be a mock, but a mistake.
  private static let maximumValues = 100_000

  init(_ fields: MessageFields) throws(FieldError) {
    let kind = try fields.string("kind")
    let encoding = try ValueEncoding(fields)
    switch kind {
    case "list": self.init(.list(try Self.list(fields)), encoding)
    case "counter": self.init(try Self.counter(fields), encoding)
    case "random": self.init(.random(try Self.bounds(fields, from: "min", "max")), encoding)
    case "randomWalk": self.init(try Self.randomWalk(fields), encoding)
    case "time": self.init(.time, encoding)
    case "bytes": self.init(.bytes(try fields.int("length", in: 1...ProtocolLimits.maximumValueLength)), encoding)
    case "csv": self.init(.csv(try CSVFile(fields)), encoding)
    case "command": self.init(.command(try LocalCommand(fields)), encoding)
    default:
      let kinds = "list, counter, random, randomWalk, time, bytes, csv, command"
      throw FieldError("kind", .unsuitable("not one of \(kinds)"))
    }
    if isNumeric, !encoding.takesNumbers { throw FieldError("format", .unsuitable("not for numbers")) }
    interval = try fields.seconds("interval") ?? 1
    guard interval >= 0.00001 else { throw FieldError("interval", .outOfRange) }
    jitter = try fields.seconds("jitter") ?? 0
    repeats = try fields.bool("repeat", default: true)
    time = try fields.name("while", of: Time.self, default: .subscribed)
    // Subscribers slow a source down that is too fast for them; nothing does that for the others.
    guard time == .subscribed || interval >= 0.001 else { throw FieldError("interval", .outOfRange) }
  }

  private var isNumeric: Bool {
    switch kind {
    case .counter, .random, .randomWalk, .time: true
    default: false
    }
  }

  private static func list(_ fields: MessageFields) throws(FieldError) -> [TimedValue] {
    var last = 0.0
    let values = try fields.elements("values") { item throws(FieldProblem) in
      let value = try timedValue(item)
      if let at = value.at {
        guard at >= last else { throw .unsuitable("before the value before it") }
        last = at
      }
      return value
    }
    guard !values.isEmpty else { throw FieldError("values", .unsuitable("empty")) }
    guard values.count <= maximumValues else { throw FieldError("values", .outOfRange) }
    return values
  }

  private static func timedValue(_ item: JSONItem) throws(FieldProblem) -> TimedValue {
    if item.kind == .object {
      do throws(FieldError) {
        let fields = MessageFields(item)
        return TimedValue(try fields.value("value") ?? [], at: try fields.seconds("at"))
      } catch { throw .unsuitable("\(error.name): \(error.problem)") }
    }
    guard let bytes = item.withText({ Base64.decode($0) }) else { throw .not(.string) }
    guard let bytes else { throw .invalidBase64 }
    guard bytes.count <= ProtocolLimits.maximumValueLength else { throw .outOfRange }
    return TimedValue(bytes)
  }

  private static func counter(_ fields: MessageFields) throws(FieldError) -> Kind {
    let from = try fields.optionalDouble("from") ?? 0
    let to = try fields.optionalDouble("to") ?? 255
    let step = try fields.optionalDouble("step") ?? (to < from ? -1 : 1)
    guard step != 0, (to - from) / step >= 0 else {
      throw FieldError("step", .unsuitable("never gets from 'from' to 'to'"))
    }
    return .counter(from: from, to: to, step: step)
  }

  private static func bounds(
    _ fields: MessageFields, from lower: StaticString, _ upper: StaticString
  ) throws(FieldError) -> ClosedRange<Double> {
    let least = try fields.double(lower)
    let most = try fields.double(upper)
    guard least <= most else { throw FieldError(upper, .unsuitable("less than \(lower)")) }
    return least...most
  }

  private static func randomWalk(_ fields: MessageFields) throws(FieldError) -> Kind {
    let bounds = try bounds(fields, from: "min", "max")
    let from = try fields.optionalDouble("from") ?? (bounds.lowerBound / 2 + bounds.upperBound / 2)
    guard bounds.contains(from) else { throw FieldError("from", .unsuitable("not between min and max")) }
    let step = try fields.double("step")
    guard step > 0 else { throw FieldError("step", .outOfRange) }
    return .randomWalk(from: from, bounds, step: step)
  }
}

extension CSVFile {
  init(_ fields: MessageFields) throws(FieldError) {
    path = try fields.path("file")
    time = try fields.column("time")
    guard let value = try fields.column("value") else { throw FieldError("value", .missing) }
    self.value = value
    speed = try fields.optionalDouble("speed") ?? 1
    guard speed > 0 else { throw FieldError("speed", .outOfRange) }
  }
}

extension LocalCommand {
  init(_ fields: MessageFields) throws(FieldError) {
    arguments = try fields.strings("command")
    guard arguments.first?.isEmpty == false else { throw FieldError("command", .unsuitable("no program")) }
    if let index = arguments.firstIndex(where: { $0.utf8.contains(0) }) {
      throw FieldError("command[\(index)]", .unsuitable("has a NUL in it"))
    }
    restart = try fields.name("restart", of: Restart.self, default: .never)
    maximumRate = try fields.int("maximumRate", in: 1...100_000, default: 1000)
    maximumLine = try fields.int("maximumLine", in: 1...65536, default: 4096)
    timeout = try fields.optionalDouble("timeout") ?? 5
    // A device that answers later than 30 s loses its link.
    guard 0.01...29 ~= timeout else { throw FieldError("timeout", .outOfRange) }
  }
}

extension MessageFields {
  fileprivate func path(_ key: StaticString) throws(FieldError) -> String {
    let path = try string(key)
    guard !path.isEmpty, !path.utf8.contains(0) else { throw FieldError(key, .unsuitable("no path")) }
    return path
  }

  fileprivate func column(_ key: StaticString) throws(FieldError) -> CSVFile.Column? {
    guard let item = item(key) else { return nil }
    if let name = item.string { return .named(name) }
    return .position(try int(key, in: 0...1000))
  }
}
