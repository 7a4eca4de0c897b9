/// An object of the configuration format, read and written by its table of fields.
protocol ConfigurationElement: Sendable {
  /// All defaults.
  init()
  static var fields: [ConfigurationField<Self>] { get }
  var origin: ConfigurationOrigin { get set }
  /// Looks at what fields say together, and fills in what was absent.
  mutating func complete(from item: JSONItem, _ context: ConfigurationContext)
}

extension ConfigurationElement {
  mutating func complete(from item: JSONItem, _ context: ConfigurationContext) {}

  // MARK: Reading

  /// Reads an object; what is wrong is reported and has its default.
  init(_ item: JSONItem, _ context: ConfigurationContext) {
    self.init()
    guard item.kind == .object else {
      context.report(.not(.object), at: item)
      return
    }
    origin = ConfigurationOrigin(item, of: context.text)
    let present = readMembers(of: item, context)
    for (index, field) in Self.fields.enumerated() where present & 1 << UInt64(index) == 0 {
      let isMissing = field.presence == .required || field.presence == .defaulted && context.mode == .strict
      if isMissing { context.report(FieldProblem.missing.description, path: field.key.description, at: item) }
    }
    complete(from: item, context)
  }

  /// - Returns: a bit for each field that is there.
  private mutating func readMembers(of item: JSONItem, _ context: ConfigurationContext) -> UInt64 {
    var present: UInt64 = 0
    var repeated: UInt64 = 0
    item.forEachMember { key, value in
      guard let index = Self.index(of: key) else {
        return context.warn("unknown key, kept but not used", path: key.string ?? "", at: key)
      }
      guard repeated & 1 << UInt64(index) == 0 else {
        return context.warn("written twice; the first counts", path: Self.fields[index].key.description, at: key)
      }
      repeated |= 1 << UInt64(index)
      // null counts as absent.
      guard value.kind != .null else { return }
      present |= 1 << UInt64(index)
      context.inside(Self.fields[index].key.description) { Self.fields[index].read(value, context, &self) }
    }
    return present
  }

  private static func index(of key: JSONItem) -> Int? { fields.firstIndex { key.equals($0.key) } }

  // MARK: Writing

  /// Writes the object: keys in the order in which they were read, unknown ones too, then new ones.
  func append(to writer: inout ConfigurationWriter) {
    writer.json.beginObject()
    origin.withItem { original in
      var written: UInt64 = 0
      original?.forEachMember { key, value in
        guard let index = Self.index(of: key), written & 1 << UInt64(index) == 0 else {
          writer.json.copyKey(key)
          return writer.json.copy(value)
        }
        written |= 1 << UInt64(index)
        let field = Self.fields[index]
        if field.presence == .optional, value.kind != .null, field.isDefault(self) { return }
        writer.json.copyKey(key)
        if value.kind == .null, field.isDefault(self) { return writer.json.null() }
        field.write(self, value, &writer)
      }
      appendNew(written, to: &writer)
    }
    writer.json.endObject()
  }

  private func appendNew(_ written: UInt64, to writer: inout ConfigurationWriter) {
    for (index, field) in Self.fields.enumerated() where written & 1 << UInt64(index) == 0 {
      let isLeftOut = field.presence == .optional || origin.isKnown && !writer.isComplete
      if isLeftOut, field.isDefault(self) { continue }
      writer.json.key(field.key)
      field.write(self, nil, &writer)
    }
  }
}
