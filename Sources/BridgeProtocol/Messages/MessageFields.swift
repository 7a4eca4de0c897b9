/// The members of one JSON object, read with the wire's tolerance: null counts as absent, unknown members are ignored.
struct MessageFields {
  private let object: JSONItem

  init(_ object: JSONItem) { self.object = object }

  /// The member, unless absent or null.
  func item(_ key: StaticString) -> JSONItem? {
    guard let item = object[key], item.kind != .null else { return nil }
    return item
  }

  func required(_ key: StaticString) throws(FieldError) -> JSONItem {
    guard let item = item(key) else { throw FieldError(key, .missing) }
    return item
  }

  // MARK: Scalars

  func string(_ key: StaticString) throws(FieldError) -> String {
    guard let text = try required(key).string else { throw FieldError(key, .not(.string)) }
    return text
  }

  func optionalString(_ key: StaticString) throws(FieldError) -> String? {
    item(key) == nil ? nil : try string(key)
  }

  func bool(_ key: StaticString) throws(FieldError) -> Bool {
    guard let value = try required(key).bool else { throw FieldError(key, .not(.bool)) }
    return value
  }

  func bool(_ key: StaticString, default: Bool) throws(FieldError) -> Bool {
    item(key) == nil ? `default` : try bool(key)
  }

  func int(_ key: StaticString, in range: ClosedRange<Int> = Int.min...Int.max) throws(FieldError) -> Int {
    let item = try required(key)
    guard let value = item.int else {
      throw FieldError(key, item.kind == .integer ? .outOfRange : .not(.integer))
    }
    guard range.contains(value) else { throw FieldError(key, .outOfRange) }
    return value
  }

  func int(_ key: StaticString, in range: ClosedRange<Int>, default: Int) throws(FieldError) -> Int {
    item(key) == nil ? `default` : try int(key, in: range)
  }

  func optionalInt(_ key: StaticString) throws(FieldError) -> Int? {
    item(key) == nil ? nil : try int(key)
  }

  func double(_ key: StaticString) throws(FieldError) -> Double {
    let item = try required(key)
    guard let value = item.double else {
      throw FieldError(key, item.kind == .integer || item.kind == .number ? .outOfRange : .not(.number))
    }
    return value
  }

  func double(
    _ key: StaticString, in range: ClosedRange<Double>, default: Double
  ) throws(FieldError) -> Double {
    guard let value = try optionalDouble(key) else { return `default` }
    guard range.contains(value) else { throw FieldError(key, .outOfRange) }
    return value
  }

  func optionalDouble(_ key: StaticString) throws(FieldError) -> Double? {
    item(key) == nil ? nil : try double(key)
  }

  /// Strict base64.
  func bytes(_ key: StaticString) throws(FieldError) -> [UInt8] {
    guard let bytes = try required(key).withText({ Base64.decode($0) }) else { throw FieldError(key, .not(.string)) }
    guard let bytes else { throw FieldError(key, .invalidBase64) }
    return bytes
  }

  // MARK: Identifiers

  func peripheral(_ key: StaticString = "id") throws(FieldError) -> PeripheralIdentifier {
    guard let peripheral = try required(key).withText({ PeripheralIdentifier(utf8: $0) }) else {
      throw FieldError(key, .not(.string))
    }
    guard let peripheral else { throw FieldError(key, .invalidUUID) }
    return peripheral
  }

  /// The peripheral that the attribute of `key` belongs to: the attribute identifier's first part, which is what
  /// counts, or else the field `id`.
  func peripheral(owning key: StaticString) throws(FieldError) -> PeripheralIdentifier {
    if let owner = item(key)?.withText(PeripheralIdentifier.init(ownerOfAttribute:)), let owner { return owner }
    return try peripheral()
  }

  func uuid(_ key: StaticString) throws(FieldError) -> BluetoothUUID {
    guard let uuid = try required(key).withText({ BluetoothUUID(utf8: $0) }) else {
      throw FieldError(key, .not(.string))
    }
    guard let uuid else { throw FieldError(key, .invalidUUID) }
    return uuid
  }

  // MARK: Containers

  /// The elements of an array; absent means none.
  func elements<Element>(
    _ key: StaticString, _ read: (JSONItem) throws(FieldProblem) -> Element
  ) throws(FieldError) -> [Element] {
    guard let array = item(key) else { return [] }
    guard array.kind == .array else { throw FieldError(key, .not(.array)) }
    var elements: [Element] = []
    try array.forEachElement { item throws(FieldError) in
      do throws(FieldProblem) { elements.append(try read(item)) } catch {
        throw FieldError("\(key)[\(elements.count)]", error)
      }
    }
    return elements
  }

  func strings(_ key: StaticString) throws(FieldError) -> [String] {
    try elements(key) { item throws(FieldProblem) in
      guard let text = item.string else { throw .not(.string) }
      return text
    }
  }

  func uuids(_ key: StaticString) throws(FieldError) -> [BluetoothUUID] {
    try elements(key) { item throws(FieldProblem) in
      guard let uuid = item.withText({ BluetoothUUID(utf8: $0) }) else { throw .not(.string) }
      guard let uuid else { throw .invalidUUID }
      return uuid
    }
  }

  func spelledUUIDs(_ key: StaticString) throws(FieldError) -> [SpelledUUID] {
    try elements(key) { item throws(FieldProblem) in
      guard let text = item.string else { throw .not(.string) }
      guard let uuid = SpelledUUID(text) else { throw .invalidUUID }
      return uuid
    }
  }

  func peripherals(_ key: StaticString) throws(FieldError) -> [PeripheralIdentifier] {
    try elements(key) { item throws(FieldProblem) in
      guard let peripheral = item.withText({ PeripheralIdentifier(utf8: $0) }) else { throw .not(.string) }
      guard let peripheral else { throw .invalidUUID }
      return peripheral
    }
  }

  /// The values made of an array's objects; absent means none.
  func objects<Element>(
    _ key: StaticString, _ read: (MessageFields) throws(FieldError) -> Element
  ) throws(FieldError) -> [Element] {
    guard let array = item(key) else { return [] }
    guard array.kind == .array else { throw FieldError(key, .not(.array)) }
    var elements: [Element] = []
    try array.forEachElement { item throws(FieldError) in
      let place = "\(key)[\(elements.count)]"
      guard item.kind == .object else { throw FieldError(place, .not(.object)) }
      do throws(FieldError) { elements.append(try read(MessageFields(item))) } catch { throw error.inside(place) }
    }
    return elements
  }

  /// The fields of an object inside; nil if absent.
  func object(_ key: StaticString) throws(FieldError) -> MessageFields? {
    guard let object = item(key) else { return nil }
    guard object.kind == .object else { throw FieldError(key, .not(.object)) }
    return MessageFields(object)
  }

  /// An object handed on as it is; nil if absent.
  func tree(_ key: StaticString) throws(FieldError) -> [String: JSONValue]? {
    guard let object = item(key) else { return nil }
    guard object.kind == .object else { throw FieldError(key, .not(.object)) }
    do {
      guard case .object(let members) = try JSONValue(object) else { return nil }
      return members
    } catch { throw FieldError(key, error) }
  }
}
