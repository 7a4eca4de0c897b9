extension MessageFields {
  /// One of an enumeration's names.
  func name<Value: RawRepresentable & CaseIterable>(
    _ key: StaticString, of type: Value.Type, default: Value? = nil
  ) throws(FieldError) -> Value where Value.RawValue == String {
    if let `default`, item(key) == nil { return `default` }
    guard let value = Value(rawValue: try string(key)) else {
      throw FieldError(key, .unsuitable("not one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))"))
    }
    return value
  }

  /// An attribute's value in base64; nil if absent.
  func value(_ key: StaticString) throws(FieldError) -> [UInt8]? {
    guard item(key) != nil else { return nil }
    let value = try bytes(key)
    guard value.count <= ProtocolLimits.maximumValueLength else { throw FieldError(key, .outOfRange) }
    return value
  }

  /// Seconds, up to a year.
  func seconds(_ key: StaticString) throws(FieldError) -> Double? {
    guard let value = try optionalDouble(key) else { return nil }
    guard 0...31_536_000 ~= value else { throw FieldError(key, .outOfRange) }
    return value
  }

  func optionalInt(_ key: StaticString, in range: ClosedRange<Int>) throws(FieldError) -> Int? {
    item(key) == nil ? nil : try int(key, in: range)
  }

  func optionalBool(_ key: StaticString) throws(FieldError) -> Bool? { item(key) == nil ? nil : try bool(key) }

  func optionalUUID(_ key: StaticString) throws(FieldError) -> BluetoothUUID? {
    item(key) == nil ? nil : try uuid(key)
  }

  func seed() throws(FieldError) -> UInt64? { try optionalInt("seed").map { UInt64(bitPattern: Int64($0)) } }

  /// Reads an object inside with `read`; nil if absent.
  func object<Value>(
    _ key: StaticString, _ read: (MessageFields) throws(FieldError) -> Value
  ) throws(FieldError) -> Value? {
    guard let fields = try object(key) else { return nil }
    do throws(FieldError) { return try read(fields) } catch { throw error.inside(key.description) }
  }

  /// One object or a list of them.
  func oneOrMore<Value>(
    _ key: StaticString, _ read: (MessageFields) throws(FieldError) -> Value
  ) throws(FieldError) -> [Value] {
    guard let item = item(key), item.kind != .array else { return try objects(key, read) }
    return try object(key, read).map { [$0] } ?? []
  }

  /// Two numbers, the lower first.
  func range(_ key: StaticString, within bounds: ClosedRange<Int>) throws(FieldError) -> ClosedRange<Int>? {
    guard item(key) != nil else { return nil }
    let numbers = try elements(key) { item throws(FieldProblem) in
      guard let number = item.int else { throw .not(.integer) }
      return number
    }
    guard numbers.count == 2, numbers[0] <= numbers[1] else {
      throw FieldError(key, .unsuitable("not two numbers, the lower first"))
    }
    guard bounds.contains(numbers[0]), bounds.contains(numbers[1]) else { throw FieldError(key, .outOfRange) }
    return numbers[0]...numbers[1]
  }

  /// A number, the code of `domain`, or an object with `domain` and `code`.
  func fault(_ key: StaticString, _ domain: BluetoothError.Domain) throws(FieldError) -> BluetoothError? {
    guard let item = item(key) else { return nil }
    if item.kind == .object {
      return try object(key) { fields throws(FieldError) in
        let name = try fields.string("domain")
        guard let domain = BluetoothError.Domain(rawValue: name), domain != .impossible else {
          throw FieldError("domain", .unsuitable("not CBErrorDomain or CBATTErrorDomain"))
        }
        guard let error = domain.error(try fields.int("code")) else { throw FieldError("code", .outOfRange) }
        return error
      }
    }
    guard let error = domain.error(try int(key)) else { throw FieldError(key, .outOfRange) }
    return error
  }

  /// Faults; each operation is held against each of them, so there are not too many.
  func rules(
    _ key: StaticString, _ read: (MessageFields) throws(FieldError) -> FaultRule
  ) throws(FieldError) -> [FaultRule] {
    let rules = try objects(key, read)
    guard rules.count <= 100 else { throw FieldError(key, .unsuitable("more than 100")) }
    return rules
  }

  /// Faults whose device, and maybe attribute, are given by the place where they stand.
  func faults(_ key: StaticString = "faults") throws(FieldError) -> [FaultRule] {
    try rules(key) { fields throws(FieldError) in
      let rule = try FaultRule(fields)
      if rule.id != nil || rule.name != nil {
        throw FieldError(rule.id != nil ? "id" : "name", .unsuitable("it is a fault of this device already"))
      }
      return rule
    }
  }
}

extension BluetoothError.Domain {
  fileprivate func error(_ code: Int) -> BluetoothError? {
    self == .bluetooth ? .bluetooth(code) : UInt8(exactly: code).flatMap { $0 == 0 ? nil : .attribute($0) }
  }
}
