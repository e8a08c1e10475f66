/// How a cache finds a value again that it has evicted and that somebody else still holds.
public struct WeakForm<Value: Sendable>: Sendable {
    @usableFromInline let weaken: @Sendable (inout Value) -> (@Sendable () -> Value?)?

    /// - Parameter weaken: gives what brings the value back as long as others hold it, without holding it; nil when nobody else
    ///   does. It is called under the cache's lock: let it do nothing else.
    @inlinable
    public init(weaken: @escaping @Sendable (_ value: inout Value) -> (@Sendable () -> Value?)?) {
        self.weaken = weaken
    }
}

extension WeakForm where Value: AnyObject {
    /// For values that are objects.
    @inlinable
    public static var object: WeakForm {
        WeakForm { value in
            guard !isKnownUniquelyReferenced(&value) else { return nil }
            return { [weak value] in value }
        }
    }
}
