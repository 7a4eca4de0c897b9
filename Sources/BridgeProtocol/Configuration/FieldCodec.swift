/// How a kind of value is read from JSON and written.
struct FieldCodec<Value: Equatable & SendableMetatype>: Sendable {
  /// Reports what is wrong and gives nil then.
  let read: @Sendable (JSONItem, ConfigurationContext) -> Value?
  private let writeNew: @Sendable (Value, inout ConfigurationWriter) -> Void
  /// Parts keep their own spelling; then the whole is not copied.
  private let copies: Bool

  init(
    copies: Bool = true, read: @escaping @Sendable (JSONItem, ConfigurationContext) -> Value?,
    write: @escaping @Sendable (Value, inout ConfigurationWriter) -> Void
  ) {
    self.copies = copies
    self.read = read
    writeNew = write
  }

  func write(_ value: Value, _ original: JSONItem?, _ writer: inout ConfigurationWriter) {
    if copies, let original, original.kind != .null,
      read(original, ConfigurationContext(.empty, mode: .lenient)) == value
    {
      writer.json.copy(original)
    } else {
      writeNew(value, &writer)
    }
  }
}

extension JSONText {
  static let empty = JSONText(.null)
}

/// One value of a JSON type, with what makes it wrong.
private func scalar<Value>(
  _ read: @escaping @Sendable (JSONItem, ConfigurationContext) -> Result<Value, FieldProblem>
) -> @Sendable (JSONItem, ConfigurationContext) -> Value? {
  { item, context in
    switch read(item, context) {
    case .success(let value): return value
    case .failure(let problem):
      context.report(problem, at: item)
      return nil
    }
  }
}

extension FieldCodec where Value == String {
  static let string = FieldCodec(
    read: scalar { item, _ in item.string.map { .success($0) } ?? .failure(.not(.string)) },
    write: { $1.json.string($0) })
}

extension FieldCodec where Value == Bool {
  /// Strictly true or false; files may write 0 and 1.
  static let bool = FieldCodec(
    read: scalar { item, context in
      guard let value = item.bool, item.kind == .true || item.kind == .false || context.mode == .lenient else {
        return .failure(.not(.bool))
      }
      return .success(value)
    },
    write: { $1.json.bool($0) })
}

extension FieldCodec where Value == Int {
  static let int = int(in: Int.min...Int.max)

  static func int(in range: ClosedRange<Int>) -> FieldCodec {
    FieldCodec(
      read: scalar { item, _ in
        guard let value = item.int else { return .failure(item.kind == .integer ? .outOfRange : .not(.integer)) }
        return range.contains(value) ? .success(value) : .failure(.outOfRange)
      },
      write: { $1.json.int($0) })
  }
}

extension FieldCodec where Value == [UInt8] {
  static let bytes = FieldCodec(
    read: scalar { item, _ in
      guard let bytes = item.withText({ Base64.decode($0) }) else { return .failure(.not(.string)) }
      return bytes.map { .success($0) } ?? .failure(.invalidBase64)
    },
    write: { $1.json.base64($0) })

  /// An attribute's value: no device has a longer one.
  static let attributeValue = FieldCodec(
    read: { item, context in
      let value = bytes.read(item, context)
      let limit = ProtocolLimits.maximumValueLength
      if let value, value.count > limit { context.warn("over \(limit) bytes, the rest is not served", at: item) }
      return value
    },
    write: { $1.json.base64($0) })
}

extension FieldCodec where Value == BluetoothUUID {
  static let uuid = FieldCodec(
    read: scalar { item, _ in
      guard let uuid = item.withText({ BluetoothUUID(utf8: $0) }) else { return .failure(.not(.string)) }
      return uuid.map { .success($0) } ?? .failure(.invalidUUID)
    },
    write: { $1.json.uuid($0) })
}

extension FieldCodec where Value == PeripheralIdentifier {
  static let peripheral = FieldCodec(
    read: scalar { item, _ in
      guard let id = item.withText({ PeripheralIdentifier(utf8: $0) }) else { return .failure(.not(.string)) }
      return id.map { .success($0) } ?? .failure(.invalidUUID)
    },
    write: { $1.json.peripheral($0) })
}

extension FieldCodec where Value == MockIdentifier {
  static let identifier = FieldCodec(
    read: { item, context in FieldCodec<PeripheralIdentifier>.peripheral.read(item, context).map(MockIdentifier.init) },
    write: { $1.json.peripheral(PeripheralIdentifier(high: $0.high, low: $0.low)) })
}

extension FieldCodec where Value: RawRepresentable, Value.RawValue == Int {
  /// One of an enumeration's numbers.
  static var number: FieldCodec {
    FieldCodec(
      read: { item, context in
        guard let number = FieldCodec<Int>.int.read(item, context) else { return nil }
        guard let value = Value(rawValue: number) else {
          context.report(.outOfRange, at: item)
          return nil
        }
        return value
      },
      write: { $1.json.int($0.rawValue) })
  }
}

extension FieldCodec where Value: RawRepresentable, Value.RawValue == String {
  /// One of an enumeration's names.
  static func name(of all: [Value]) -> FieldCodec {
    let names = all.map(\.rawValue).joined(separator: ", ")
    return FieldCodec(
      read: { item, context in
        guard let name = FieldCodec<String>.string.read(item, context) else { return nil }
        guard let value = Value(rawValue: name) else {
          context.report("none of \(names)", at: item)
          return nil
        }
        return value
      },
      write: { $1.json.string($0.rawValue) })
  }
}

extension FieldCodec {
  /// A list; wrong elements are left out.
  static func list<Element: Equatable & SendableMetatype>(of codec: FieldCodec<Element>) -> FieldCodec
  where Value == [Element] {
    FieldCodec(
      read: { item, context in
        guard item.kind == .array else {
          context.report(.not(.array), at: item)
          return nil
        }
        var elements: [Element] = []
        var index = 0
        item.forEachElement { element in
          if let value = context.inside("[\(index)]", { codec.read(element, context) }) { elements.append(value) }
          index += 1
        }
        return elements
      },
      write: { elements, writer in
        writer.json.beginArray()
        for value in elements { codec.write(value, nil, &writer) }
        writer.json.endArray()
      })
  }

  /// A list of objects with fields of their own.
  static func elements<Element: ConfigurationElement>() -> FieldCodec where Value == [Element] {
    FieldCodec(
      copies: false,
      read: { item, context in
        guard item.kind == .array else {
          context.report(.not(.array), at: item)
          return nil
        }
        var elements: [Element] = []
        item.forEachElement { element in
          elements.append(context.inside("[\(elements.count)]") { Element(element, context) })
        }
        return elements
      },
      write: { elements, writer in
        writer.json.beginArray()
        for element in elements { element.append(to: &writer) }
        writer.json.endArray()
      })
  }
}

extension FieldCodec where Value == [BluetoothUUID: [UInt8]] {
  /// An object of base64 by UUID.
  static let bytesByUUID = FieldCodec(
    read: { item, context in
      guard item.kind == .object else {
        context.report(.not(.object), at: item)
        return nil
      }
      var result: [BluetoothUUID: [UInt8]] = [:]
      item.forEachMember { key, value in
        context.inside(key.string ?? "") {
          guard let uuid = FieldCodec<BluetoothUUID>.uuid.read(key, context),
            let bytes = FieldCodec<[UInt8]>.bytes.read(value, context)
          else { return }
          if result[uuid] == nil { result[uuid] = bytes }
        }
      }
      return result
    },
    write: { values, writer in
      writer.json.beginObject()
      for (uuid, bytes) in values.map({ ($0.key.text, $0.value) }).sorted(by: { $0.0 < $1.0 }) {
        writer.json.key(uuid)
        writer.json.base64(bytes)
      }
      writer.json.endObject()
    })
}

extension FieldCodec where Value == CharacteristicProperties {
  static let properties = FieldCodec(
    read: { item, context in
      FieldCodec<Int>.int(in: 0...Int(UInt16.max)).read(item, context).map {
        CharacteristicProperties(rawValue: UInt16($0))
      }
    },
    write: { $1.json.int(Int($0.rawValue)) })
}
