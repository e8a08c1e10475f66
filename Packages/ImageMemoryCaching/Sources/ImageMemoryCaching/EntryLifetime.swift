/// The lifetime of an entry in a cache.
public struct EntryLifetime: Hashable, Sendable {
    /// The time after which the entry expires. Limited to 100 years; a negative value counts as 0.
    public var duration: Duration
    /// Whether each hit restarts the duration, which otherwise starts with the insertion.
    public var isExtendedByUse: Bool

    /// Creates a lifetime.
    public init(_ duration: Duration, isExtendedByUse: Bool = false) {
        (self.duration, self.isExtendedByUse) = (duration, isExtendedByUse)
    }

    /// An unlimited lifetime, for single entries of a cache whose entries otherwise expire.
    public static let unlimited = EntryLifetime(.seconds(3_155_760_000))
}
