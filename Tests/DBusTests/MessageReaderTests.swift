import BridgeIO
import DBus
import Testing

@Suite struct MessageReaderTests {
  @BridgeQueue private func message(_ values: Value...) -> Message {
    Message.signal(path: "/a", interface: "a.b", member: "C").append(contentsOf: values)
  }

  @Test @BridgeQueue func eachReadTakesOneArgument() {
    let message = message(.string("x"), .int16(-5), .boolean(true), .bytes([1, 2]), .objectPath("/p"))
    let read = message.read { ($0.string(), $0.integer(), $0.boolean(), $0.bytes(), $0.string(), $0.isAtEnd) }
    #expect(read.0 == "x")
    #expect(read.1 == -5)
    #expect(read.2 == true)
    #expect(read.3 == [1, 2])
    #expect(read.4 == "/p")
    #expect(read.5)
  }

  @Test @BridgeQueue func aWrongTypeReadsAsNilAndMovesOn() {
    let message = message(.string("x"), .int16(1), .bytes([1]), .boolean(false), .strings(["s"]), .double(1), .byte(9))
    let (allNil, isAtEnd) = message.read { reader in
      let found: [Any?] = [
        reader.integer(), reader.string(), reader.boolean(), reader.bytes(), reader.bytes(), reader.enter { _ in 1 },
        reader.properties(),
      ]
      return (found.allSatisfy { $0 == nil }, reader.isAtEnd)
    }
    #expect(allNil)
    #expect(isAtEnd)
  }

  @Test @BridgeQueue func pastTheEndEverythingIsNil() {
    let (allNil, isAtEnd) = message().read { reader in
      let descriptor = reader.descriptor() == nil
      let found: [Any?] = [
        reader.string(), reader.integer(), reader.boolean(), reader.bytes(), reader.value(), reader.properties(),
        reader.enter { _ in 1 },
      ]
      reader.skip()
      return (descriptor && !reader.isString("") && found.allSatisfy { $0 == nil }, reader.isAtEnd)
    }
    #expect(allNil)
    #expect(isAtEnd)
  }

  @Test @BridgeQueue func stringsAreComparedInPlace() {
    let message = message(.string("org.bluez.Device1"), .string("org.bluez.Device1"), .string("RSSI"), .byte(1))
    let read = message.read { reader in
      (
        reader.isString("org.bluez.Device1"), reader.isString("org.bluez.Device"), reader.withString { $0.count },
        reader.isString("x"), reader.isAtEnd
      )
    }
    #expect(read == (true, false, 4, false, true))
  }

  @Test @BridgeQueue func containersAreEnteredAndLeftHalfRead() {
    let message = message(
      .properties(["Value": .bytes([7])]), .structure([.byte(1), .byte(2)]), .array(element: "i", []), .string("end"))
    let (bytes, first, isEmpty, end) = message.read { reader in
      let bytes = reader.enter { entries -> [UInt8]? in
        entries.enter { entry -> [UInt8]? in
          guard entry.isString("Value") else { return nil }
          return entry.enter { $0.bytes() } ?? nil
        } ?? nil
      }
      return (bytes, reader.enter { $0.integer() }, reader.enter { $0.isAtEnd }, reader.string())
    }
    #expect(bytes == [7])
    #expect(first == 1)
    #expect(isEmpty == true)
    #expect(end == "end")
  }
}
