/// Values of a request that the loader passes to its transports: those of the application, which it doesn't read, and what
/// other modules add to `ImageRequest`.
public struct ImageUserInfo: Sendable {
    /// The name of a value. You can add your own:
    ///
    /// ```swift
    /// extension ImageUserInfo.Key { static let row = Self(rawValue: "row") }
    /// ```
    public struct Key: RawRepresentable, Hashable, Sendable {
        /// The name of the value.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        static let placeholder = Key(rawValue: "ImageCore.placeholder")
        static let failureImage = Key(rawValue: "ImageCore.failureImage")
    }

    private var values: [Key: any Sendable] = [:]

    /// Creates a collection without values.
    public init() {}

    /// A value; nil if it is not set.
    public subscript(key: Key) -> (any Sendable)? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// A value; nil if it is not set or has another type.
    public subscript<Value: Sendable>(key: Key, as type: Value.Type) -> Value? { values[key] as? Value }
}
