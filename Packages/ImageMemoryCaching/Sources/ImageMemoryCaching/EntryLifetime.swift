/// How long a cache may return an entry.
public struct EntryLifetime: Hashable, Sendable {
    /// The time after which the entry expires.
    public var duration: Duration
    /// If true, each hit starts the duration again. Otherwise it starts when the entry is inserted.
    public var isExtendedByUse: Bool

    public init(_ duration: Duration, isExtendedByUse: Bool = false) {
        self.duration = duration
        self.isExtendedByUse = isExtendedByUse
    }

    /// The entry never expires. Use it for single entries of a cache that has a lifetime.
    public static let unlimited = EntryLifetime(.nanoseconds(Int64.max))
}
