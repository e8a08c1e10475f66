/// The stored data that a request can use.
@nonexhaustive
public enum ImageLoadMode: Hashable, Sendable, CaseIterable {
    /// Uses the memory cache, then the disk cache as HTTP allows, then the network.
    case standard
    /// Bypasses the memory cache and validates the stored response with the server, even if it is fresh.
    case revalidate
    /// Downloads the image again and stores it. Images at other sizes stay in the memory cache.
    case reload
    /// Never uses the network. Throws `ImageError.offline` if no cache has the image. Also uses stale responses, with
    /// the source `.stale`.
    case onlyIfCached
    /// Asks the server even if a fresh error such as 404 is stored. For the user's retry. Otherwise like `.standard`.
    case ignoringStoredErrors

    /// Whether every answer must come from the server or be confirmed by it.
    package var needsServer: Bool { self == .revalidate || self == .reload }
}
