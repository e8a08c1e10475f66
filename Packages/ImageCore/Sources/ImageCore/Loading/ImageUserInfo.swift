/// Values of a request for views, observers and the application. The loader doesn't read them.
public struct ImageUserInfo: Sendable {
    /// The name of an option. You can add your own:
    ///
    /// ```swift
    /// extension ImageUserInfo.Key { static let row = Self(rawValue: "row") }
    /// ```
    public struct Key: RawRepresentable, Hashable, Sendable {
        /// The name of the option.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        fileprivate static let placeholder = Key(rawValue: "placeholder")
        fileprivate static let failureImage = Key(rawValue: "failureImage")
        package static let transition = Key(rawValue: "transition")
    }

    private var values: [Key: any Sendable] = [:]

    /// Creates options without placeholder and transition.
    public init() {}

    /// The value of an option; nil if it is not set.
    public subscript(key: Key) -> (any Sendable)? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// The value of an option; nil if it is not set or has another type.
    public subscript<Value: Sendable>(key: Key, as type: Value.Type) -> Value? { values[key] as? Value }
}

extension ImageUserInfo {
    /// The image that a view shows after a failure; nil for the placeholder.
    public var failureImage: DecodedImage? {
        get { self[.failureImage, as: DecodedImage.self] }
        set { self[.failureImage] = newValue }
    }

    /// Sets the image that a view shows while it loads; nil for none.
    public mutating func setPlaceholder(_ image: DecodedImage?) { self[.placeholder] = image }

    /// Sets a placeholder that is made only when a view shows it.
    ///
    /// - Parameters:
    ///   - id: Identifies the placeholder, if a view may get another one for the same image.
    ///   - make: Called on the main actor, each time. It must take much less than a frame.
    public mutating func setPlaceholder(
        id: (any Hashable & Sendable)? = nil, _ make: @escaping @Sendable () -> DecodedImage
    ) {
        self[.placeholder] = DeferredPlaceholder(id: id, make: make)
    }

    /// Returns the placeholder, or nil if there is none. Call it only if the placeholder is shown.
    public func makePlaceholder() -> DecodedImage? {
        self[.placeholder, as: DecodedImage.self] ?? self[.placeholder, as: DeferredPlaceholder.self]?.make()
    }

    /// Whether a view looks the same with other options. Placeholders that are made on demand are compared by their id.
    package func looksLike(_ other: ImageUserInfo) -> Bool {
        hasPlaceholder(of: other)
            && failureImage == other.failureImage && comparable(.transition) == other.comparable(.transition)
    }

    private func comparable(_ key: Key) -> AnyHashable? { (self[key] as? any Hashable).map { AnyHashable($0) } }

    /// Whether both have the same placeholder, as far as that can be known without making it.
    package func hasPlaceholder(of other: ImageUserInfo) -> Bool {
        self[.placeholder, as: DecodedImage.self] == other[.placeholder, as: DecodedImage.self]
            && self[.placeholder, as: DeferredPlaceholder.self] == other[.placeholder, as: DeferredPlaceholder.self]
    }
}

private struct DeferredPlaceholder: Equatable, Sendable {
    let id: (any Hashable & Sendable)?
    let make: @Sendable () -> DecodedImage

    static func == (left: DeferredPlaceholder, right: DeferredPlaceholder) -> Bool {
        left.id.map { AnyHashable($0) } == right.id.map { AnyHashable($0) }
    }
}
