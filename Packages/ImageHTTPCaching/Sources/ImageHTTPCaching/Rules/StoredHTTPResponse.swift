public import HTTPTypes
public import ImageCore
public import ImageTransporting

/// A stored response without its body.
public struct StoredHTTPResponse: Hashable, Sendable, Codable {
    /// The status code.
    public var status: Int
    /// The header fields, except those that apply to a single connection (RFC 9111, 3.1).
    public var headers: HTTPFields
    /// The URL of the response, after redirects, without user and password.
    public var url: URL
    /// The lowercase names of the request fields that Vary lists and the request had.
    package var selectingFields: Set<String> { Set(selection.keys) }
    /// The values of these fields, which can be credentials.
    private var selection: [String: SecretText]
    /// When the request was sent. The age is calculated from the two times (RFC 9111, 4.2.3).
    public var requestTime: Date
    /// When the response arrived.
    public var responseTime: Date

    /// Creates a stored response to a request with these header fields.
    public init(_ head: ResponseHead, to request: HTTPFields, requestTime: Date, responseTime: Date) {
        status = head.status.code
        headers = Self.storable(head.headers)
        url = head.url.withoutCredentials
        selection = VaryingFields(head.headers).selection(from: request).mapValues { SecretText($0) }
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// Returns the time since the server generated or validated the response (RFC 9111, 4.2.3), at most 2^31 seconds.
    /// Nil if it arrived after `now`: the clock was set back.
    public func age(at now: Date) -> Duration? {
        let age = ageInSeconds(at: now)
        return age.isFinite ? .seconds(min(age, DeltaSeconds.largest)) : nil
    }

    /// The same in seconds, for calculations with dates; infinite instead of nil.
    package func ageInSeconds(at now: Date) -> TimeInterval {
        guard responseTime <= now else { return .infinity }
        let apparent = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        let corrected = (DeltaSeconds.parse(firstMember(of: .age)) ?? 0) + delay
        return max(apparent, corrected) + now.timeIntervalSince(responseTime)
    }

    /// Returns the header fields for the client, with Age (RFC 9111, 5.1) and Date (RFC 9110, 6.6.1). Fields that
    /// `no-cache` lists are left out unless the response was just validated (5.2.2.4).
    func headers(at now: Date, isValidated: Bool = false) -> HTTPFields {
        var served = headers
        served[.age] = String(Int(min(max(0, ageInSeconds(at: now)), DeltaSeconds.largest)))
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

extension StoredHTTPResponse {
    /// The fields that ask whether this response is current (RFC 9111, 4.3.1). Empty if it has no validator.
    package var validationFields: HTTPFields {
        var fields = HTTPFields()
        if let tag = headers[byteText: .eTag] { fields[byteText: .ifNoneMatch] = tag }
        if let modified = headers[.lastModified] { fields[.ifModifiedSince] = modified }
        return fields
    }

    /// Returns the response, updated by a 304 (RFC 9111, 3.2, 4.3.4). Returns nil if the 304 has a different validator.
    func freshened(byNotModified head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse? {
        guard confirms(head.headers) else { return nil }
        return updated(by: head, requestTime: requestTime, responseTime: responseTime)
    }

    /// Returns the response, updated by the response to a HEAD request (RFC 9111, 4.3.5). Returns nil if it is
    /// outdated.
    func freshened(byHead head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse? {
        let described: [HTTPField.Name] = [.eTag, .lastModified, .contentLength]
        let isSame = described.allSatisfy {
            !head.headers.contains($0) || head.headers[byteText: $0] == headers[byteText: $0]
        }
        guard isSame, head.status.code == status else { return nil }
        return updated(by: head, requestTime: requestTime, responseTime: responseTime)
    }

    private func confirms(_ fields: HTTPFields) -> Bool {
        if let tag = fields[byteText: .eTag] {
            return headers[byteText: .eTag].map { Self.matchesWeakly($0[...], tag[...]) } ?? false
        }
        if let modified = fields[byteText: .lastModified], let own = headers[byteText: .lastModified] {
            return modified == own
        }
        return true
    }

    /// Compares two entity tags weakly (RFC 9110, 8.8.3.2).
    static func matchesWeakly(_ left: Substring, _ right: Substring) -> Bool { opaque(left) == opaque(right) }

    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }

    private func updated(by head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse {
        var newer = Self.storable(head.headers)
        newer.removeAll { Self.fixed.contains($0.name) }
        let replaced = Set(newer.map(\.name))
        var result = self
        // Without Date, the arrival time counts (RFC 9110, 6.6.1).
        result.headers.removeAll { replaced.contains($0.name) || $0.name == .age || $0.name == .date }
        result.headers.append(contentsOf: newer)
        result.requestTime = requestTime
        result.responseTime = responseTime
        return result
    }

    private static let fixed: Set<HTTPField.Name> = [.contentLength, .contentEncoding, .contentRange]
}

/// Finds the URLs that an unsafe request invalidates (RFC 9111, 4.4).
enum CacheInvalidation {
    /// Returns the URL of the request, and URLs of its server in Location and Content-Location. Empty for safe methods
    /// and errors.
    static func invalidatedURLs(
        by method: HTTPRequest.Method, of url: URL, response head: ResponseHead
    ) -> [URL] {
        let safe: [HTTPRequest.Method] = [.get, .head, .options, .trace]
        guard !safe.contains(method), (200...399).contains(head.status.code) else { return [] }
        let named = [HTTPField.Name.location, .contentLocation].compactMap { name in
            head.headers[fields: name].first.flatMap { URL(webAddress: $0.bytes, relativeTo: url) }
        }
        return [url] + named.filter { $0.server == url.server }
    }
}

/// The request fields that a response depends on (RFC 9111, 4.1; RFC 9110, 12.5.5).
struct VaryingFields {
    private let names: Set<String>

    init(_ response: HTTPFields) {
        names = Set(response[values: .vary].flatMap(\.listedNames))
    }

    /// `Vary: *` matches no request.
    var areUnknown: Bool { names.contains("*") }

    /// Returns the normalized values that a request has for these fields. Case and order of the members of
    /// Accept-Language, Accept-Encoding and Accept-Charset have no meaning (RFC 9110, 12.5; RFC 9111, 4.1).
    func selection(from request: HTTPFields) -> [String: String] {
        var selection: [String: String] = [:]
        for name in names {
            guard let field = HTTPField.Name(name), request.contains(field) else { continue }
            let members = request[fields: field].flatMap {
                $0.byteText.split(separator: ",", omittingEmptySubsequences: false)
            }
            let values = Self.unordered.contains(name) ? Self.sorted(members) : members.map { String($0.trimmed) }
            selection[name] = values.joined(separator: ",")
        }
        return selection
    }

    private static let unordered: Set = ["accept-language", "accept-encoding", "accept-charset"]

    private static func sorted(_ members: [Substring]) -> [String] {
        members.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }.filter { !$0.isEmpty }.sorted()
    }
}

extension StoredHTTPResponse {
    /// Returns whether a request selects this variant by its `Vary` fields (RFC 9111, 4.1).
    func isSelected(by request: HTTPFields) -> Bool {
        let fields = VaryingFields(headers)
        let requested = fields.selection(from: request)
        return !fields.areUnknown && requested.count == selection.count
            && requested.allSatisfy { selection[$0.key]?.matches($0.value) ?? false }
    }
}
