import BridgeIO
import DBus
import Testing

@Suite struct ValueTests {
  static let all: [Value] = [
    .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min),
    .uint64(.max), .double(-0.5), .string("Grüße 🎈"), .string(""), .objectPath("/org/bluez"), .signature("a{sv}"),
    .variant(.variant(.byte(1))), .bytes([]), .bytes([0, 1, 255]), .properties([:]),
    .properties(["RSSI": .int16(-60), "Data": .bytes([1]), "Nested": .properties(["a": .boolean(true)])]),
    .strings([]), .strings(["a", "b"]), .array(element: "o", [.objectPath("/")]),
    .array(element: "{qv}", [.entry(key: .uint16(76), value: .variant(.bytes([1, 2])))]), .array(element: "{qv}", []),
    .array(element: "ay", [.bytes([1]), .bytes([])]), .array(element: "(si)", [.structure([.string("x"), .int32(1)])]),
    .structure([.byte(1), .structure([.string("in"), .properties([:])])]),
    .array(
      element: "{oa{sa{sv}}}",
      [
        .entry(
          key: .objectPath("/a"),
          value: .array(element: "{sa{sv}}", [.entry(key: .string("i"), value: .properties(["p": .byte(1)]))]))
      ]),
  ]

  @Test(arguments: all) @BridgeQueue func isReadAsItWasWritten(_ value: Value) {
    let message = Message.signal(path: "/", interface: "a.b", member: "C").append(.byte(7), value, .string("end"))
    #expect(message.arguments == [.byte(7), value, .string("end")])
    #expect(message.signature == "y" + value.typeSignature + "s")
  }

  @Test @BridgeQueue func anArrayOfEntriesOfTheFormOfPropertiesIsReadAsProperties() {
    let entries = Value.array(element: "{sv}", [.entry(key: .string("a"), value: .variant(.byte(1)))])
    let message = Message.signal(path: "/", interface: "a.b", member: "C").append(entries)
    #expect(message.arguments == [.properties(["a": .byte(1)])])
  }

  @Test @BridgeQueue func textEndsAtItsFirstNUL() {
    let message = Message.signal(path: "/", interface: "a.b", member: "C").append(.string("ab\u{0}cd"))
    #expect(message.arguments == [.string("ab")])
  }

  @Test func accessorsAnswerForTheirTypesOnly() {
    #expect(Value.uint64(.max).int == nil)
    #expect(Value.uint64(5).int == 5)
    #expect(Value.string("5").int == nil)
    #expect(Value.objectPath("/a").string == "/a")
    #expect(Value.array(element: "o", [.objectPath("/a")]).strings == ["/a"])
    #expect(Value.bytes([1]).elements == nil)
  }

  @Test func aPathFromOutsideIsValidated() {
    for good in ["/", "/a", "/org/bluez/hci0/dev_00"] { #expect(ObjectPath(validating: good) != nil) }
    for bad in ["", "a", "//", "/a/", "/a-b", "/ä", "/a\u{0}b"] { #expect(ObjectPath(validating: bad) == nil) }
  }
}
