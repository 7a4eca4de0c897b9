/// What a part of a configuration does by itself: the `behavior` object, an addition to ImpossiBLE's format.
public struct MockBehavior<Content: Hashable & Sendable>: Hashable, Sendable {
  private final class Storage: Sendable {
    let json: JSONText
    let content: Content
    init(json: JSONText, content: Content) {
      self.json = json
      self.content = content
    }
  }

  private let storage: Storage

  /// The object as it stands, members that mean nothing included.
  public var json: JSONText { storage.json }

  /// What it says.
  public var content: Content { storage.content }

  public static func == (left: MockBehavior, right: MockBehavior) -> Bool {
    left.storage === right.storage || left.json == right.json
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(json) }
}

extension MockBehavior where Content: BehaviorContent {
  init(json: JSONText, content: Content) { storage = Storage(json: json, content: content) }

  /// Reads an object that is made here or elsewhere than in a configuration.
  ///
  /// - Throws: the first mistake, its path that of the field.
  init(json: JSONText) throws(ConfigurationProblem) {
    let result = json.withRoot { item -> Result<Content, ConfigurationProblem> in
      guard item.kind == .object else {
        return .failure(ConfigurationProblem(path: "", reason: FieldProblem.not(.object).description))
      }
      do throws(FieldError) { return .success(try Content(MessageFields(item))) } catch {
        return .failure(ConfigurationProblem(path: error.name, reason: error.problem.description))
      }
    }
    self.init(json: json, content: try result.get())
  }
}

extension MockBehavior where Content == ConfigurationBehavior {
  /// - Throws: the first mistake, its path that of the field.
  public init(configuration json: JSONText) throws(ConfigurationProblem) { try self.init(json: json) }
}

extension MockBehavior where Content == DeviceBehavior {
  /// - Throws: the first mistake, its path that of the field.
  public init(device json: JSONText) throws(ConfigurationProblem) { try self.init(json: json) }
}

extension MockBehavior where Content == CharacteristicBehavior {
  /// - Throws: the first mistake, its path that of the field.
  public init(characteristic json: JSONText) throws(ConfigurationProblem) { try self.init(json: json) }
}

extension FieldCodec {
  /// The place of a mistake is that of the object inside in which it is.
  static func behavior<Content: BehaviorContent>() -> FieldCodec where Value == MockBehavior<Content> {
    FieldCodec(
      read: { item, context in
        guard item.kind == .object else {
          context.report(.not(.object), at: item)
          return nil
        }
        let content: Content
        do throws(FieldError) { content = try Content(MessageFields(item)) } catch {
          // An upload is answered by its first mistake.
          let mistakes = context.mode == .strict ? [error] : BehaviorMistakes<Content>(item, first: error).found
          for mistake in mistakes {
            context.report(mistake.problem.description, path: mistake.name, at: item.descendant(mistake.name))
          }
          return nil
        }
        // A client must not reach files and programs with the service's rights.
        if context.mode == .strict, let field = content.localField {
          context.report("not allowed in an upload", path: field, at: item)
          return nil
        }
        for (field, target) in content.localTargets { context.name(target, path: field, at: item.descendant(field)) }
        return MockBehavior(json: JSONText(copying: item), content: content)
      },
      write: { behavior, writer in behavior.json.withRoot { writer.json.copy($0) } })
  }
}

extension JSONItem {
  /// What `path`, such as `faults[2].delay`, leads to, as far as there is anything.
  fileprivate func descendant(_ path: String) -> JSONItem {
    var current = self
    for part in path.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }) {
      var next: JSONItem?
      if let wanted = Int(part), current.kind == .array {
        var index = 0
        current.forEachElement { element in
          if index == wanted { next = element }
          index += 1
        }
      } else if current.kind == .object {
        current.forEachMember { key, value in if next == nil, key.string == String(part) { next = value } }
      }
      guard let next else { return current }
      current = next
    }
    return current
  }
}
