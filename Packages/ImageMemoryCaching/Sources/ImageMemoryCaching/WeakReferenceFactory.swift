/// Creates weak references, with which a cache finds evicted values.
public struct WeakReferenceFactory<Value: Sendable>: Sendable {
    let make: @Sendable (inout Value) -> (@Sendable () -> Value?)?

    /// - Parameter make: Returns a closure that returns the value while others retain it, or nil if nothing else
    ///   retains it. The cache calls both under its lock, so they must not call the cache.
    public init(make: @escaping @Sendable (_ value: inout Value) -> (@Sendable () -> Value?)?) {
        self.make = make
    }
}

extension WeakReferenceFactory where Value: AnyObject {
    /// Creates weak references to objects.
    public static var object: WeakReferenceFactory {
        WeakReferenceFactory { value in
            guard !isKnownUniquelyReferenced(&value) else { return nil }
            return { [weak value] in value }
        }
    }
}
