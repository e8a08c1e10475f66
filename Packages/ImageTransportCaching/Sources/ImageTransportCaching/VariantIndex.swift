import HTTPTypes
import ImageCore
import ImageHTTPCaching

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is stored for one URL and identity: the heads of its variants, and where their bodies are. Pure.
///
/// Kept as an entry of its own, so that a 304 changes a head without touching the body. An index that is lost costs misses; its bodies
/// go when the cache needs space.
struct VariantIndex: Codable, Hashable, Sendable {
    struct Variant: Codable, Hashable, Sendable {
        var response: StoredHTTPResponse
        /// Names the body among those of the URL.
        var bodyName: String

        /// Named after the head: two bodies of one name came with the same head for the same request at the same instant. Nil for a
        /// head that JSON can't hold.
        init?(_ response: StoredHTTPResponse) {
            guard let head = try? response.metadata else { return nil }
            self.response = response
            bodyName = SHA256.hexadecimalDigest(of: Array(head))
        }
    }

    /// The most variants of one URL; the oldest goes.
    static let maxVariants = 16

    private(set) var variants: [Variant] = []
    /// Answers to requests that left earlier are out of date: a reload or an unsafe request came between.
    private(set) var outdatedBefore: Date?

    var isEmpty: Bool { variants.isEmpty && outdatedBefore == nil }

    /// Why nothing of it answers the request, if nothing does although every body is there.
    func miss(to request: HTTPFields) -> CacheMiss {
        if variants.isEmpty { return .absent }
        return variants.contains { $0.response.isSelected(by: request) } ? .notReusable : .otherVariant
    }

    /// Puts a response in the place of those that the same request selects, unless one of them answers a later request.
    ///
    /// Times after `now` are from a clock that went wrong, and count for nothing.
    mutating func insert(_ new: Variant, to request: HTTPFields, now: Date) {
        let older = variants.filter { $0.response.isSelected(by: request) }
        let later = older.map(\.response.requestTime) + [outdatedBefore].compactMap(\.self)
        guard !later.contains(where: { $0 > new.response.requestTime && $0 <= now }) else { return }
        variants.removeAll { older.contains($0) }
        variants.append(new)
        if variants.count > Self.maxVariants { variants.removeFirst() }
    }

    /// Gives a variant a newer head, if it is still there.
    mutating func update(_ bodyName: String, to response: StoredHTTPResponse) {
        guard let index = variants.firstIndex(where: { $0.bodyName == bodyName }) else { return }
        variants[index].response = response
    }

    mutating func remove(_ bodyName: String) { variants.removeAll { $0.bodyName == bodyName } }

    /// Removes what the request selects: the origin has something else now, which may not be stored. Where nothing is, nothing is noted:
    /// of what may not be stored the URL is not kept either (RFC 9111, 5.2.2.5).
    mutating func remove(selectedBy request: HTTPFields, outdatedAt time: Date) {
        let rest = variants.filter { !$0.response.isSelected(by: request) }
        guard rest.count < variants.count else { return }
        (variants, outdatedBefore) = (rest, time)
    }

    /// - Parameter time: nil when what is under way is as good as anything.
    mutating func removeAll(outdatedAt time: Date?) {
        variants = []
        outdatedBefore = time ?? outdatedBefore
    }
}
