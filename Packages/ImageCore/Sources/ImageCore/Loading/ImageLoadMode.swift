/// How far what is stored may answer a request.
public enum ImageLoadMode: String, Hashable, Sendable, CaseIterable {
    /// Whatever is in memory; what is on disk as the rules of HTTP allow; else the network.
    case standard
    /// The origin is asked whether what is on disk is still right, though it be fresh; memory is not asked. What the origin
    /// confirms is not sent again.
    case revalidate
    /// The network is asked for all of it, whatever is stored, and the new answer is stored. Images of it at other sizes, or after
    /// other steps, that are in memory stay there.
    case reload
    /// The network is never asked: what no cache has is `ImageError.offline`. What is out of date is given, and its source says so.
    case onlyIfCached

    /// True when an image in memory may answer.
    package var acceptsMemory: Bool { self == .standard || self == .onlyIfCached }
}
