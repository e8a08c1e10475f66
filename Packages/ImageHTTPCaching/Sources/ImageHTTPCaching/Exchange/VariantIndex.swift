import HTTPTypes
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The index of the stored responses of a URL and an identity: the heads of its variants and the names of their bodies.
///
/// It is a separate entry, so that a 304 updates a head without rewriting the body. If the index is lost, requests
/// miss, and the cache evicts the bodies when it needs space.
struct VariantIndex: Codable, Hashable, Sendable {
    struct Variant: Codable, Hashable, Sendable {
        var response: StoredHTTPResponse
        /// The name of the body. It is unique within the index.
        var bodyName: String

        /// Creates a variant, whose body is named by the digest of the head.
        ///
        /// Equal names therefore mean the same head for the same request at the same time. Returns nil if the head
        /// can't be encoded as JSON.
        init?(_ response: StoredHTTPResponse) {
            guard let head = try? JSONEncoder().encode(response) else { return nil }
            self.response = response
            bodyName = SHA256.hexadecimalDigest(of: Array(head))
        }
    }

    /// The maximum number of variants of a URL. If there are more, the oldest is removed.
    static let maxVariants = 16

    private(set) var variants: [Variant] = []
    /// Responses to requests sent before this time are outdated, because of a later reload or unsafe request.
    private(set) var outdatedBefore: Date?

    var isEmpty: Bool { variants.isEmpty && outdatedBefore == nil }

    /// Returns why no variant can be used for a request, assuming that all bodies are available.
    func miss(to request: HTTPFields) -> CacheMiss {
        if variants.isEmpty { return .absent }
        return variants.contains { $0.response.isSelected(by: request) } ? .notReusable : .otherVariant
    }

    /// Adds a response and removes the variants that the same request selects, unless one of them is from a later
    /// request.
    ///
    /// Ignores times after `now`: they are from a time when the clock was wrong.
    mutating func insert(_ new: Variant, to request: HTTPFields, now: Date) {
        let older = variants.filter { $0.response.isSelected(by: request) }
        let later = older.map(\.response.requestTime) + [outdatedBefore].compactMap(\.self)
        guard !later.contains(where: { $0 > new.response.requestTime && $0 <= now }) else { return }
        variants.removeAll { older.contains($0) }
        variants.append(new)
        if variants.count > Self.maxVariants { variants.removeFirst() }
    }

    /// Replaces the head of a variant, if the variant still exists.
    mutating func update(_ bodyName: String, to response: StoredHTTPResponse) {
        guard let index = variants.firstIndex(where: { $0.bodyName == bodyName }) else { return }
        variants[index].response = response
    }

    mutating func remove(_ bodyName: String) { variants.removeAll { $0.bodyName == bodyName } }

    /// Removes the variants that the request selects: the origin has a newer response that must not be stored.
    ///
    /// Without such variants, nothing is recorded. For a response that must not be stored, the cache keeps no URL
    /// either (RFC 9111, 5.2.2.5).
    mutating func remove(selectedBy request: HTTPFields, invalidatedAt time: Date) {
        let rest = variants.filter { !$0.response.isSelected(by: request) }
        guard rest.count < variants.count else { return }
        variants = rest
        outdatedBefore = time
    }

    /// Removes all variants.
    ///
    /// - Parameter time: Responses to requests sent before this time are outdated. If it is `nil`, pending responses
    ///   may be stored.
    mutating func removeAll(invalidatedAt time: Date?) {
        variants = []
        outdatedBefore = time ?? outdatedBefore
    }
}
