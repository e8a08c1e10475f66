public import HTTPTypes
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A stored response without its body.
public struct StoredHTTPResponse: Hashable, Sendable, Codable {
    /// The status code.
    public var status: Int
    /// The header fields, except those that apply to a single connection (RFC 9111, 3.1).
    public var headers: HTTPFields
    /// The URL of the response, after redirects.
    public var url: URL
    /// The request fields that Vary lists, by lowercase name. Fields that the request did not have are missing.
    public var selectingFields: [String: String]
    /// When the request was sent. The age is calculated from the two times (RFC 9111, 4.2.3).
    public var requestTime: Date
    /// When the response arrived.
    public var responseTime: Date

    /// Creates a stored response to a request with these header fields.
    public init(_ head: ResponseHead, to request: HTTPFields, requestTime: Date, responseTime: Date) {
        status = head.status.code
        headers = Self.storable(head.headers)
        url = head.url
        selectingFields = VaryingFields(head.headers).selection(from: request)
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// Returns the seconds since the origin generated or validated the response (RFC 9111, 4.2.3).
    ///
    /// The age is infinite if the response arrived after `now`: the clock was set back, so its age can't be known.
    public func age(at now: Date) -> TimeInterval {
        guard responseTime <= now else { return .infinity }
        let apparent = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        let corrected = (DeltaSeconds.parse(firstMember(of: .age)) ?? 0) + delay
        return max(apparent, corrected) + now.timeIntervalSince(responseTime)
    }

    /// Returns the header fields to return to the client, with the age in whole seconds, at most 2^31 (RFC 9111, 4, 5.1,
    /// 1.2.2).
    ///
    /// Without a valid Date, it is the time of arrival (RFC 9110, 6.6.1).
    /// Fields that `no-cache` lists are left out unless the origin has just validated the response (5.2.2.4).
    package func headers(at now: Date, isValidated: Bool = false) -> HTTPFields {
        var served = headers
        served[.age] = String(Int(min(max(0, age(at: now)), DeltaSeconds.largest)))
        if firstDate(of: .date) == nil { served[.date] = HTTPDate.format(responseTime) }
        if !isValidated {
            let listed = CacheDirectives(headers).fieldNames("no-cache")
            served.removeAll { listed.contains($0.name.canonicalName) }
        }
        return served
    }

    /// The value of Date, or the arrival time if there is none (RFC 9110, 6.6.1).
    var date: Date { firstDate(of: .date) ?? responseTime }

    func firstDate(of name: HTTPField.Name) -> Date? {
        headers[values: name].first.flatMap { HTTPDate.parse($0, now: responseTime) }
    }

    /// Returns the first member of a field that should have one value (RFC 9111, 5.1). Empty if the field is missing.
    private func firstMember(of name: HTTPField.Name) -> Substring {
        (headers[values: name].first ?? "").prefix { $0 != "," }.trimmed
    }

    /// Removes the fields that apply to a single connection (RFC 9111, 3.1).
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
