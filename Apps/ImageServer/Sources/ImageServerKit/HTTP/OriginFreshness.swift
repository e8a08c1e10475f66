import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting

/// How long a result can be used, and by whom, from the response of its origin (RFC 9111, sections 4.2 and 5.2.2).
struct OriginFreshness: Hashable, Sendable, Codable {
    /// Who may store a response.
    enum Storage: String, Hashable, Sendable, Codable {
        /// Every cache.
        case shared
        /// Only the client.
        case client
        /// Nobody.
        case nobody
    }

    /// Who may store the result.
    var storage = Storage.shared
    /// The time until which the original is fresh; nil if the origin does not say.
    var freshUntil: Date?
}

extension OriginFreshness {
    /// An original is as fresh as the most restrictive response that leads to it. One that no server sent is for everybody.
    init(_ responses: [OriginalResponse]) {
        self = responses.map { OriginFreshness($0) }.reduce(OriginFreshness()) { $0.combined(with: $1) }
    }

    private init(_ response: OriginalResponse) {
        let fields = HTTPFields(
            response.headers.compactMap { name, value in
                HTTPField.Name(name).map { HTTPField(name: $0, value: value) }
            })
        let directives = CacheDirectives(fields)
        storage = directives.contains("no-store") ? .nobody : directives.contains("private") ? .client : .shared
        // A permanent redirect that says nothing is no reason to ask again sooner than its target says.
        let saysNothing = Self.lifetime(fields, now: Date(timeIntervalSince1970: 0)) == nil
        freshUntil = [301, 308].contains(response.status) && saysNothing ? nil : response.freshUntil
    }

    /// Returns the freshness of what is made of two responses, such as a redirect and its target: the more restrictive
    /// of each.
    func combined(with other: OriginFreshness) -> OriginFreshness {
        let order = [Storage.nobody, .client, .shared]
        return OriginFreshness(
            storage: order.first { [storage, other.storage].contains($0) } ?? .nobody,
            freshUntil: [freshUntil, other.freshUntil].compactMap(\.self).min())
    }

    /// Returns the lifetime of a response in seconds; nil if the origin does not say.
    ///
    /// - Parameter now: The time at which the response arrived.
    static func lifetime(_ fields: HTTPFields, now: Date) -> TimeInterval? {
        let directives = CacheDirectives(fields)
        if directives.contains("no-cache") { return 0 }
        // Such a response matches no other request (RFC 9111, 4.1).
        if let names = fields[.vary], names.split(separator: ",").contains(where: { $0.trimmed == "*" }) { return 0 }
        if let age = directives.duration("s-maxage") ?? directives.duration("max-age") { return age.seconds }
        guard let expires = fields[.expires] else { return nil }
        // An invalid date is in the past (RFC 9111, 5.3).
        guard let end = HTTPDate.parse(expires, now: now) else { return 0 }
        let start = fields[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now
        return end.timeIntervalSince(start)
    }
}

/// The bounds of the lifetime of results.
struct LifetimeBounds: Hashable, Sendable {
    /// The shortest lifetime.
    var shortest = Duration.zero
    /// The longest lifetime.
    var longest = Duration.seconds(31_536_000)
    /// The lifetime if the origin does not say.
    var standard = Duration.seconds(3_600)

    /// Returns the time until which a result is fresh.
    func end(of freshness: OriginFreshness, now: Date) -> Date {
        now.addingTimeInterval(lifetime(freshness.freshUntil.map { $0.timeIntervalSince(now) }))
    }

    /// Returns a lifetime within the bounds.
    /// - Parameter wanted: The lifetime that the origin says, in seconds; nil if it does not say.
    func lifetime(_ wanted: TimeInterval?) -> TimeInterval {
        min(max(wanted ?? standard.seconds, shortest.seconds), longest.seconds)
    }

    /// Returns the value of Cache-Control.
    /// - Parameter freshUntil: The time until which the result is fresh.
    func cacheControl(_ storage: OriginFreshness.Storage, freshUntil: Date, now: Date) -> String {
        let seconds = Int(min(max(0, freshUntil.timeIntervalSince(now)), longest.seconds).rounded(.down))
        switch storage {
        case .shared: return "public, max-age=\(seconds)"
        case .client: return "private, max-age=\(seconds)"
        case .nobody: return "no-store"
        }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18
    }
}
