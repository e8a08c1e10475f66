/// Why a layer of caches did not answer a request, as far as it can tell: no cause is guessed.
public enum CacheMiss: String, Error, Hashable, Sendable, CaseIterable {
    /// Nothing of the original is known there: never seen, or gone without a trace.
    case absent
    /// The image was given to the memory cache lately, and is not there any more: evicted, removed, or refused.
    case evicted
    /// The image was given to the memory cache lately, at another size alone.
    case otherSize
    /// The image was given to the memory cache lately, before the steps that are asked for.
    case otherProcessors
    /// What is stored is out of date, or the request wants it to be confirmed: the origin is to be asked.
    case outOfDate
    /// What is stored answers requests with other headers (Vary; RFC 9111, 4.1).
    case otherVariant
    /// What was stored has lost its bytes, whole or in part: evicted, or damaged.
    case bytesLost
    /// What is stored turned out to be no image.
    case noImage
    /// What is stored may not answer a request of this kind.
    case notReusable
    /// The store failed, or what is asked on the way to it did.
    case unreadable
    /// The request's policy or mode leaves the layer out.
    case policy
    /// There is no such layer.
    case noCache
}

extension CacheMiss {
    /// True for a look into the layer that found nothing.
    package var isLookup: Bool { self != .policy && self != .noCache && self != .noImage }
}
