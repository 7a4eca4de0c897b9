/// One key of a configuration's object: how it is read and written.
struct ConfigurationField<Owner: ConfigurationElement>: Sendable {
  enum Presence {
    /// Must be there.
    case required
    /// Must be there in an upload; a file without it gets the default.
    case defaulted
    case optional
  }

  let key: StaticString
  let presence: Presence
  let read: @Sendable (JSONItem, ConfigurationContext, inout Owner) -> Void
  /// Writes the value, as `original` has it if that means the same.
  let write: @Sendable (Owner, JSONItem?, inout ConfigurationWriter) -> Void
  let isDefault: @Sendable (Owner) -> Bool

  init<Value: Equatable & Sendable>(
    _ key: StaticString, _ path: any WritableKeyPath<Owner, Value> & Sendable, _ codec: FieldCodec<Value>,
    _ presence: Presence = .defaulted
  ) {
    let standard = Owner()[keyPath: path]
    self.key = key
    self.presence = presence
    read = { item, context, owner in
      if let value = codec.read(item, context) { owner[keyPath: path] = value }
    }
    write = { owner, original, writer in codec.write(owner[keyPath: path], original, &writer) }
    isDefault = { $0[keyPath: path] == standard }
  }

  /// An optional key.
  init<Value: Equatable & Sendable>(
    _ key: StaticString, optional path: any WritableKeyPath<Owner, Value?> & Sendable, _ codec: FieldCodec<Value>
  ) {
    self.key = key
    presence = .optional
    read = { item, context, owner in
      if let value = codec.read(item, context) { owner[keyPath: path] = value }
    }
    write = { owner, original, writer in
      guard let value = owner[keyPath: path] else { return writer.json.null() }
      codec.write(value, original, &writer)
    }
    isDefault = { $0[keyPath: path] == nil }
  }
}

/// Writes configurations.
struct ConfigurationWriter {
  var json = JSONWriter()
  /// Whether required keys are written that the file left to their defaults.
  var isComplete: Bool
}
