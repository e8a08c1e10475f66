/// Which stored data may answer a request.
public enum ImageLoadMode: String, Hashable, Sendable, CaseIterable {
    /// The memory cache, then the disk cache as HTTP allows, then the network.
    case standard
    /// Bypasses the memory cache and validates the stored response with the origin, even if it is fresh. A confirmed response is not sent
    /// again.
    case revalidate
    /// Downloads the image again and stores it. Images at other sizes, or with other processors, stay in the memory cache.
    case reload
    /// Never uses the network: throws `ImageError.offline` if no cache has the image. A stale response is used, and its source is `.stale`.
    case onlyIfCached

    /// Whether an image in the memory cache may answer.
    package var acceptsMemory: Bool { self == .standard || self == .onlyIfCached }
}
