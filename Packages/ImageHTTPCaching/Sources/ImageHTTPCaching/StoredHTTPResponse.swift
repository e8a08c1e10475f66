public import HTTPTypes
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// All that a cache keeps of a response beside its body.
public struct StoredHTTPResponse: Hashable, Sendable, Codable {
    public var status: Int
    /// Without what concerns one connection alone (RFC 9111, 3.1).
    public var headers: HTTPFields
    /// Where the response came from in the end, after redirects.
    public var url: URL
    /// What the request said in the fields that Vary names, by names in lower case; nothing of fields that it did not have.
    public var selectingFields: [String: String]
    /// When the request left, and when the response came: the age is counted from these (4.2.3).
    public var requestTime: Date
    public var responseTime: Date

    public init(_ head: ResponseHead, to request: HTTPFields, requestTime: Date, responseTime: Date) {
        status = head.status.code
        headers = Self.storable(head.headers)
        url = head.url
        selectingFields = VaryingFields(head.headers).selection(from: request)
        (self.requestTime, self.responseTime) = (requestTime, responseTime)
    }

    /// For `DataCacheEntry.metadata`. JSON: what one version of this module has written a later one reads.
    public var metadata: Data {
        get throws { try JSONEncoder().encode(self) }
    }

    /// Throws `DecodingError` when the bytes are not `metadata`.
    public init(metadata: Data) throws { self = try JSONDecoder().decode(Self.self, from: metadata) }

    /// Seconds since the origin made it or confirmed it, by its own word, other caches' and the local clock's (4.2.3). Never negative:
    /// a clock that was set back makes nothing younger.
    public func age(at now: Date) -> TimeInterval {
        let apparent = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        let corrected = (DeltaSeconds.parse(firstMember(of: .age)) ?? 0) + delay
        return max(apparent, corrected) + max(0, now.timeIntervalSince(responseTime))
    }

    /// The headers to hand on: with the age in whole seconds (4, 5.1), and without those that `no-cache` lists, which only a validated
    /// response may show (5.2.2.4).
    ///
    /// - Parameter isValidated: whether the origin was just asked.
    public func headers(at now: Date, isValidated: Bool = false) -> HTTPFields {
        var served = headers
        served[.age] = String(Int(age(at: now)))
        if !isValidated {
            let listed = CacheDirectives(headers).fieldNames("no-cache")
            served.removeAll { listed.contains($0.name.canonicalName) }
        }
        return served
    }

    /// When the origin says that it made the response; when it came, if it does not say (RFC 9110, 6.6.1).
    var date: Date { firstDate(of: .date) ?? responseTime }

    func firstDate(of name: HTTPField.Name) -> Date? {
        headers[values: name].first.flatMap { HTTPDate.parse($0, now: responseTime) }
    }

    /// Of a field that should come once and have one value, what comes first (5.1). Empty when there is none.
    private func firstMember(of name: HTTPField.Name) -> Substring {
        (headers[values: name].first ?? "").prefix { $0 != "," }.trimmed
    }

    /// Without what concerns one connection alone.
    static func storable(_ fields: HTTPFields) -> HTTPFields {
        let excluded = perConnection.union(fields[values: .connection].flatMap(\.listedNames))
        var kept = fields
        kept.removeAll { excluded.contains($0.name.canonicalName) }
        return kept
    }

    private static let perConnection: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]
}

extension HTTPFields {
    mutating func removeAll(where isRemoved: (HTTPField) -> Bool) {
        self = HTTPFields(filter { !isRemoved($0) })
    }
}
