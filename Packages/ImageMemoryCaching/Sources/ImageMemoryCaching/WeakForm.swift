/// How a cache refers to an evicted value without retaining it.
public struct WeakForm<Value: Sendable>: Sendable {
    let weaken: @Sendable (inout Value) -> (@Sendable () -> Value?)?

    /// - Parameter weaken: returns a closure that returns the value while others hold it and does not retain it.
    ///   Returns nil if no one else holds the value. The cache calls both under its lock, so they must not call the cache.
    public init(weaken: @escaping @Sendable (_ value: inout Value) -> (@Sendable () -> Value?)?) {
        self.weaken = weaken
    }
}

extension WeakForm where Value: AnyObject {
    /// A weak reference to an object.
    public static var object: WeakForm {
        WeakForm { value in
            guard !isKnownUniquelyReferenced(&value) else { return nil }
            return { [weak value] in value }
        }
    }
}
