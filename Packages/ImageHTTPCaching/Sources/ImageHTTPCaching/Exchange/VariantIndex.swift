import HTTPTypes
import ImageCore

/// The index of the stored responses of a URL and an identity: the heads of its variants and the names of their bodies.
///
/// It is a separate entry, so that a 304 updates a head without rewriting the body.
struct VariantIndex: Codable, Hashable, Sendable {
    struct Variant: Codable, Hashable, Sendable {
        var response: StoredHTTPResponse
        var bodyName: String

        /// The body is named by the digest of the head. Returns nil if the head can't be encoded as JSON.
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

    /// Adds a response and removes the variants that the same request selects, unless one is from a later request.
    mutating func insert(_ new: Variant, to request: HTTPFields, now: Date) {
        let time = new.response.requestTime
        if let outdatedBefore, time < outdatedBefore, outdatedBefore <= now { return }
        let older = variants.filter { $0.response.isSelected(by: request) }
        if older.contains(where: { $0.response.isLater(than: time, now: now) }) { return }
        variants.removeAll { older.contains($0) }
        variants.append(new)
        if variants.count > Self.maxVariants { variants.removeFirst() }
    }

    /// Updates a response, unless it is from a later request.
    mutating func update(_ bodyName: String, to response: StoredHTTPResponse, now: Date) {
        guard let index = variants.firstIndex(where: { $0.bodyName == bodyName }),
            !variants[index].response.isLater(than: response.requestTime, now: now)
        else { return }
        variants[index].response = response
    }

    mutating func remove(_ bodyName: String) { variants.removeAll { $0.bodyName == bodyName } }

    /// Removes the variants that the request selects, unless they are from a later request than `time`: the server has a
    /// newer response that must not be stored. Without such variants, no trace of the URL is kept (RFC 9111, 5.2.2.5).
    mutating func remove(selectedBy request: HTTPFields, invalidatedAt time: Date, now: Date) {
        let rest = variants.filter {
            !$0.response.isSelected(by: request) || $0.response.isLater(than: time, now: now)
        }
        guard rest.count < variants.count else { return }
        variants = rest
        outdatedBefore = time
    }

    /// Removes all variants. Responses to requests sent before `time` are outdated; with nil, they may be stored.
    mutating func removeAll(invalidatedAt time: Date?) {
        variants = []
        outdatedBefore = time ?? outdatedBefore
    }
}

extension StoredHTTPResponse {
    /// Whether its request was sent after another. A time after `now` doesn't count: the clock was wrong.
    func isLater(than time: Date, now: Date) -> Bool { requestTime > time && requestTime <= now }
}
