/// Every mistake of an object whose reader stops at the first: what is wrong is taken out, or something harmless put in
/// its place, and the rest is read again.
struct BehaviorMistakes<Content: BehaviorContent> {
  private var root: JSONValue
  private(set) var found: [FieldError] = []
  /// Remedies tried, by field.
  private var tries: [String: Int] = [:]
  /// Elements taken out, by list; ascending.
  private var removed: [String: [Int]] = [:]
  /// Objects that are not as they were: what does not go together in them may be our own doing.
  private var altered: Set<String> = []
  /// Fields that we have made up.
  private var invented: Set<String> = []

  private static var standIns: [JSONValue] {
    [
      .integer(1), .string("read"), .string("180F"), .string("time"), .bool(true), .array([.string("AAAA")]),
      .object([:]),
    ]
  }

  init(_ item: JSONItem, first: FieldError) {
    guard let value = try? JSONValue(item) else {
      root = .null
      found = [first]
      return
    }
    root = value
    // Each round reads the whole.
    var rounds = item.source.count > 65536 ? 8 : 200
    while rounds > 0, let mistake = firstMistake() {
      rounds -= 1
      guard mend(mistake) else { break }
    }
    if found.isEmpty { found = [first] }
  }

  private func firstMistake() -> FieldError? {
    JSONText(root).withRoot { item in
      do throws(FieldError) {
        _ = try Content(MessageFields(item))
        return nil
      } catch { return error }
    }
  }

  /// Notes a mistake and tries the next remedy.
  ///
  /// - Returns: false if there is none left.
  private mutating func mend(_ mistake: FieldError) -> Bool {
    let place = FieldPath(mistake.name)
    let original = original(place)
    let (name, parent) = (original.text, original.parent.text)
    let attempt = tries[name, default: 0]
    tries[name] = attempt + 1
    let isOwnDoing = altered.contains(parent) && mistake.problem.isUnsuitable || original.isInside(invented)
    if attempt == 0, !isOwnDoing {
      found.append(FieldError(name, mistake.problem))
    }
    if !parent.isEmpty { altered.insert(parent) }
    switch place.parts.last {
    case .key where attempt == 0:
      root.edit(place.parts[...]) { $0 = nil }
      return true
    case .key where attempt <= Self.standIns.count:
      root.edit(place.parts[...]) { $0 = Self.standIns[attempt - 1] }
      invented.insert(name)
      return true
    case .index where attempt == 0: return remove(place)
    case nil: return false
    default: return remove(place.parent)
    }
  }

  private mutating func remove(_ place: FieldPath) -> Bool {
    guard let last = place.parts.last else { return false }
    if case .index(let index) = last, case .index(let known)? = original(place).parts.last {
      let list = original(place.parent).text
      removed[list, default: []].append(known)
      removed[list]!.sort()
      root.edit(place.parent.parts[...]) { list in
        guard case .array(var elements)? = list, elements.indices.contains(index) else { return }
        elements.remove(at: index)
        list = .array(elements)
      }
    } else {
      root.edit(place.parts[...]) { $0 = nil }
    }
    return true
  }

  /// The place in the object as it was.
  private func original(_ place: FieldPath) -> FieldPath {
    var result = FieldPath("")
    for part in place.parts {
      guard case .index(var index) = part else {
        result.parts.append(part)
        continue
      }
      for gone in removed[result.text] ?? [] where gone <= index { index += 1 }
      result.parts.append(.index(index))
    }
    return result
  }
}

/// The way to a field: `faults[2].delay`.
private struct FieldPath {
  enum Part: Hashable {
    case key(String)
    case index(Int)
  }

  var parts: [Part]

  init(_ text: String) {
    parts = text.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }).map { part in
      Int(part).map(Part.index) ?? .key(String(part))
    }
  }

  var parent: FieldPath {
    var parent = self
    parent.parts = Array(parts.dropLast())
    return parent
  }

  /// Whether one of these fields holds it.
  func isInside(_ fields: Set<String>) -> Bool {
    var outer = self
    while !outer.parts.isEmpty {
      outer = outer.parent
      if fields.contains(outer.text) { return true }
    }
    return false
  }

  var text: String {
    var text = ""
    for part in parts {
      switch part {
      case .key(let key): text += text.isEmpty ? key : ".\(key)"
      case .index(let index): text += "[\(index)]"
      }
    }
    return text
  }
}

extension FieldProblem {
  /// It may lie in what other fields say.
  fileprivate var isUnsuitable: Bool {
    if case .unsuitable = self { return true }
    return false
  }
}

extension JSONValue {
  /// Lets `change` have what is at a place; nothing happens if nothing can be there.
  fileprivate mutating func edit(_ path: ArraySlice<FieldPath.Part>, _ change: (inout JSONValue?) -> Void) {
    guard let first = path.first else {
      var whole: JSONValue? = self
      change(&whole)
      self = whole ?? .null
      return
    }
    switch (first, self) {
    case (.key(let key), .object(var members)):
      if path.count == 1 { change(&members[key]) } else { members[key]?.edit(path.dropFirst(), change) }
      self = .object(members)
    case (.index(let index), .array(var elements)) where elements.indices.contains(index):
      elements[index].edit(path.dropFirst(), change)
      self = .array(elements)
    default: break
    }
  }
}
