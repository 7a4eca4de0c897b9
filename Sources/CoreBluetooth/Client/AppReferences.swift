/// An object of the app's on its way to the app's queue.
///
/// `@unchecked Sendable` is sound for the module's own objects: what changes in them is behind locks.
package struct Held<Object>: @unchecked Sendable {
  package let object: Object
  package init(_ object: Object) { self.object = object }
}

/// The same, without keeping it.
///
/// `@unchecked Sendable` is sound: the reference is set once, before it is shared, and weak references are read
/// atomically.
package final class WeakReference<Object: AnyObject>: @unchecked Sendable {
  package private(set) weak var object: Object?
  package init(_ object: Object) { self.object = object }
}
