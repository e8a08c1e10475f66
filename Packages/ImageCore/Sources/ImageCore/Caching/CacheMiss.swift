/// The reason why a cache was not used for a request.
public enum CacheMiss: String, Error, Hashable, Sendable, CaseIterable {
    /// The cache has nothing for the original.
    case absent
    /// The image was in the memory cache recently, and was evicted, removed or refused.
    case evicted
    /// The memory cache recently had the image at another size only.
    case otherSize
    /// The memory cache recently had the image with other processors only.
    case otherProcessors
    /// The stored response is stale, or the request requires validation.
    case stale
    /// The stored responses are for requests with other headers (Vary; RFC 9111, section 4.1).
    case otherVariant
    /// The stored bytes are missing or incomplete.
    case missingBytes
    /// The stored bytes are not an image.
    case notAnImage
    /// The stored response can't be used for this kind of request.
    case notReusable
    /// The store failed.
    case unreadable
    /// The request's policy or mode bypasses the cache.
    case policy
    /// There is no such cache.
    case noCache
}

extension CacheMiss {
    /// Whether the cache was looked up.
    package var isLookup: Bool { self != .policy && self != .noCache && self != .notAnImage }
}
