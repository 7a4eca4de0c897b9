/// An object inside a message.
protocol MessageItem {
  init(_ fields: MessageFields) throws(FieldError)
  func write(to writer: inout JSONWriter)
}

extension JSONWriter {
  mutating func objects(_ items: [some MessageItem]) {
    beginArray()
    for item in items { object(item) }
    endArray()
  }

  mutating func object(_ item: some MessageItem) {
    beginObject()
    item.write(to: &self)
    endObject()
  }

  mutating func strings(_ texts: [String]) {
    beginArray()
    for text in texts { string(text) }
    endArray()
  }

  mutating func uuids(_ uuids: [BluetoothUUID]) {
    beginArray()
    for uuid in uuids { self.uuid(uuid) }
    endArray()
  }

  mutating func uuids(_ uuids: [BluetoothUUID], spelling: UUIDSpelling) {
    beginArray()
    for uuid in uuids {
      if let text = spelling.exception(for: uuid) { string(text) } else { self.uuid(uuid) }
    }
    endArray()
  }

  mutating func spelledUUIDs(_ uuids: [SpelledUUID]) {
    beginArray()
    for uuid in uuids { string(uuid.text) }
    endArray()
  }

  mutating func peripherals(_ peripherals: [PeripheralIdentifier]) {
    beginArray()
    for peripheral in peripherals { self.peripheral(peripheral) }
    endArray()
  }

  mutating func key(_ uuid: BluetoothUUID, spelling: UUIDSpelling) { key(spelling.text(of: uuid)) }

  /// Leaves the member out if there is no value.
  mutating func field(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    key(name)
    string(text)
  }

  /// Leaves the member out if there is no value.
  mutating func field(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    key(name)
    int(value)
  }

  mutating func field(_ name: StaticString, _ value: Double) {
    key(name)
    double(value)
  }

  mutating func field(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }
}

extension MessageFields {
  func adapterState(_ key: StaticString) throws(FieldError) -> AdapterState {
    guard let state = AdapterState(name: try string(key)) else { throw FieldError(key, .outOfRange) }
    return state
  }

  func radioMode(_ key: StaticString) throws(FieldError) -> RadioMode {
    guard let mode = RadioMode(rawValue: try string(key)) else { throw FieldError(key, .outOfRange) }
    return mode
  }
}
