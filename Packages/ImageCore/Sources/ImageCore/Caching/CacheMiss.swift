/// The reason why a cache was not used for a request.
@nonexhaustive
public enum CacheMiss: String, Hashable, Sendable, CaseIterable {
    /// The memory cache doesn't have the image, or the disk cache has nothing for the original.
    case absent
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
