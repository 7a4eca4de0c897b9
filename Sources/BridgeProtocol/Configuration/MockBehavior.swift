/// What a device, service or characteristic does by itself: the `behavior` object, an addition to ImpossiBLE's format.
public struct MockBehavior: Hashable, Sendable {
  /// The object as it stands.
  public var json: JSONText

  public init(json: JSONText) { self.json = json }

  /// The member of that name; nil if there is none.
  public subscript(key: String) -> JSONValue? { json.value?[key] }
}
