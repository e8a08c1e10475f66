/// What travels with a request for others to read: views, observers, the application. The loader looks at none of it, and it
/// has no part in what requests share.
public struct ImageRequestOptions: Sendable {
    /// Names an option. The set is open: `extension ImageRequestOptions.Key { static let row = Self(rawValue: "row") }`.
    public struct Key: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// What a view shows until there is an image.
        public static let placeholder = Key(rawValue: "placeholder")
        /// What a view shows when there will be none.
        public static let failureImage = Key(rawValue: "failureImage")
        /// How a view goes over to the image.
        public static let transition = Key(rawValue: "transition")
    }

    private var values: [Key: any Sendable] = [:]

    public init() {}

    public var isEmpty: Bool { values.isEmpty }

    /// Nil when it is not set.
    public subscript(key: Key) -> (any Sendable)? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// Nil when it is not set, or is no such value.
    public subscript<Value: Sendable>(key: Key, as type: Value.Type) -> Value? { values[key] as? Value }
}
