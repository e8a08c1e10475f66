import HTTPTypes
import ImageCore
import ImageTransporting

/// Describes an interrupted download, and checks whether a response continues it. Pure.
struct PartialDownload: Codable, Equatable {
    private struct Field: Codable, Equatable {
        var name: String
        /// One character for each byte, because the value may not be UTF-8.
        var byteText: String
    }

    /// The normalized URL.
    private let address: SecretText
    /// A strong entity tag or a strong Last-Modified date (RFC 9110, 8.8), with one character for each byte.
    let validator: String
    let totalByteCount: Int
    private let fields: [Field]

    /// Returns nil unless the response has status 200, a length and a strong validator, isn't decoded, and allows
    /// ranges and storage.
    init?(_ head: ResponseHead, now: Date) {
        let headers = head.headers
        guard head.status == .ok, !head.isPart, let total = head.expectedByteCount,
            ContentCodings(headers).decodable.isEmpty,
            headers[.acceptRanges]?.lowercased() != "none",
            !CacheDirectives(headers).contains("no-store"),
            let validator = Self.strongValidator(headers, now: now)
        else { return nil }
        address = SecretText(head.url.normalizedText)
        self.validator = validator
        totalByteCount = total
        fields = headers.map { Field(name: $0.name.rawName, byteText: $0.byteText) }
    }

    /// Returns a strong entity tag or date. A date is strong if the response is at least a second later (RFC 9110,
    /// 8.8.2.2).
    private static func strongValidator(_ headers: HTTPFields, now: Date) -> String? {
        if let tag = headers[byteText: .eTag] { return tag.hasPrefix("\"") ? tag : nil }
        guard let text = headers[.lastModified], let modified = HTTPDate.parse(text, now: now),
            let date = headers[.date].flatMap({ HTTPDate.parse($0, now: now) }), date.timeIntervalSince(modified) >= 1
        else { return nil }
        return text
    }

    /// Returns a request for the bytes from `offset` on, or for the complete body if it has changed (RFC 9110, 13.1.5).
    func request(_ request: TransportRequest, from offset: Int) -> TransportRequest {
        var request = request
        request.headers[.range] = "bytes=\(offset)-"
        request.headers[byteText: .ifRange] = validator
        return request
    }

    /// How to handle the response to `request(_:from:)`.
    enum Outcome: Equatable {
        /// The response continues the body. The head is that of the complete response.
        case resumes(ResponseHead)
        /// The response has a new body. The stored parts are obsolete.
        case restarts
        /// Neither the response nor the parts can be used.
        case fetchesAgain
        /// The response is returned, for example an error. The parts remain valid.
        case passesThrough
    }

    func outcome(of head: ResponseHead, offset: Int) -> Outcome {
        switch head.status.code {
        case 206: isRest(head, from: offset) ? .resumes(wholeHead(head)) : .fetchesAgain
        case 200: isWhole(head) ? .restarts : .fetchesAgain
        case 416: .fetchesAgain
        default: .passesThrough
        }
    }

    /// Whether a response continues the body. What isn't proven by its fields doesn't.
    private func isRest(_ head: ResponseHead, from offset: Int) -> Bool {
        guard address.matches(head.url.normalizedText), ContentCodings(head.headers).decodable.isEmpty,
            !head.hasSeveralRanges, let contentRange = head.contentRange
        else { return false }
        return tag(of: head) == validator && contentRange.range == offset...(totalByteCount - 1)
            && contentRange.totalByteCount == totalByteCount
            && head.expectedByteCount.map { $0 == totalByteCount - offset } ?? true
    }

    /// Whether a response with status 200 has the complete body. The same version has the same length.
    private func isWhole(_ head: ResponseHead) -> Bool {
        let isSameVersion = address.matches(head.url.normalizedText) && tag(of: head) == validator
        let hasOtherLength = head.expectedByteCount.map { $0 != totalByteCount } ?? false
        return !head.isPart && !(isSameVersion && hasOtherLength && ContentCodings(head.headers).decodable.isEmpty)
    }

    private func tag(of head: ResponseHead) -> String? {
        head.headers[byteText: validator.hasPrefix("\"") ? .eTag : .lastModified]
    }

    /// Returns the stored fields, updated with those of the part (RFC 9111, 3.4). Date and Age of the stored ones are
    /// omitted.
    private func wholeHead(_ part: ResponseHead) -> ResponseHead {
        var headers = HTTPFields()
        for field in fields {
            guard let name = HTTPField.Name(field.name), name != .date, name != .age,
                part.headers[name] == nil || Self.isPositionField(name)
            else { continue }
            headers.append(HTTPField(name: name, byteText: field.byteText))
        }
        for field in part.headers where !Self.isPositionField(field.name) { headers.append(field) }
        return ResponseHead(status: .ok, headers: headers, url: part.url, expectedByteCount: totalByteCount)
    }

    private static func isPositionField(_ name: HTTPField.Name) -> Bool {
        name == .contentLength || name == .contentRange
    }
}

extension ResponseHead {
    fileprivate var contentRange: ContentRange? { headers[.contentRange].flatMap { ContentRange($0) } }

    fileprivate var hasSeveralRanges: Bool {
        headers[.contentType]?.lowercased().hasPrefix("multipart/byteranges") ?? false
    }

    /// Whether the body is only a part of the representation, by its status or by its fields. They are meant for 206
    /// (RFC 9110, 15.3.7), but some servers send a part with 200.
    var isPart: Bool {
        if status == .partialContent || hasSeveralRanges { return true }
        guard status == .ok, headers.contains(.contentRange) else { return false }
        guard let contentRange, let total = contentRange.totalByteCount else { return true }
        return contentRange.range != 0...(total - 1)
    }
}

/// The value of a Content-Range field: `bytes 0-99/1234` (RFC 9110, 14.4).
struct ContentRange: Equatable {
    let range: ClosedRange<Int>
    /// `nil` if the server doesn't know the length.
    let totalByteCount: Int?

    /// Returns nil for other units, and if the value is invalid or inconsistent.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last
        else { return nil }
        range = first...last
        totalByteCount = Self.number(parts[1])
        guard parts[1] == "*" || totalByteCount.map({ $0 > last }) == true else { return nil }
    }

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
    }
}

/// Stores the beginning of a body in a cache: an entry that describes the body, and an entry per part.
///
/// The keys of parts include the validator and the offset, so that parts of different bodies are never combined.
struct PartialStore: Sendable {
    private let cache: any ImageDataCache
    private let timeout: StoreTimeout
    private let names: EntryNames
    /// The text in the key of the descriptive entry.
    private let text: String
    /// Whether the text can contain or depend on credentials.
    private let isPrivate: Bool
    private let now: @Sendable () -> Date
    private let onFailure: @Sendable (DataCacheError) -> Void

    /// - Parameter onFailure: Called if the cache fails. The methods then return nil or false.
    init(
        _ request: TransportRequest, in cache: any ImageDataCache, _ names: EntryNames, _ timeout: StoreTimeout,
        now: @escaping @Sendable () -> Date,
        onFailure: @escaping @Sendable (DataCacheError) -> Void
    ) {
        self.cache = cache
        self.names = names
        self.timeout = timeout
        self.now = now
        self.onFailure = onFailure
        let headers = request.identityHeaders ?? request.headers
        let fields =
            (request.account ?? "").textWithLength
            + headers.map { [$0.name.canonicalName, $0.byteText].textWithLengths }.sorted().joined()
        text = "partial \(request.url.normalizedText) \(SHA256.hexadecimalDigest(of: Array(fields.utf8)))"
        isPrivate =
            !headers.isEmpty || request.account != nil || request.url.hasCredentials || request.url.query() != nil
    }

    /// Returns the stored body and its parts. Omits a part with the last byte, so that there is always a rest to
    /// request.
    func stored() async -> (PartialDownload, parts: [Range<Int>])? {
        guard let entry = await entry(""), let partial = try? JSONDecoder().decode(PartialDownload.self, from: entry)
        else { return nil }
        var parts: [Range<Int>] = []
        while let part = await part(of: partial, at: parts.last?.upperBound ?? 0) {
            let start = parts.last?.upperBound ?? 0
            guard !part.isEmpty, start + part.count < partial.totalByteCount else { break }
            parts.append(start..<start + part.count)
        }
        return (partial, parts)
    }

    func part(of partial: PartialDownload, at offset: Int) async -> Data? { await entry(name(partial, offset)) }

    /// Saves a part. With the first part, saves the entry that describes the body.
    func save(_ part: Data, of partial: PartialDownload, at offset: Int) async -> Bool {
        await inTime { () async -> Bool in
            if offset == 0 {
                guard let data = try? JSONEncoder().encode(partial),
                    await save(data, "")
                else { return false }
            }
            return await save(part, name(partial, offset))
        } ?? false
    }

    func remove(_ partial: PartialDownload, parts: [Range<Int>]) async {
        let names = [""] + parts.map { name(partial, $0.lowerBound) }
        _ = await inTime {
            await reporting { () async throws(DataCacheError) -> Void in
                for name in names {
                    if let key = try await key(name) { try await cache.remove(for: key) }
                }
            }
        }
    }

    /// Runs an operation that stores something. Returns nil, and reports it, if it takes too long.
    private func inTime<Value: Sendable>(_ store: @escaping @Sendable () async -> Value) async -> Value? {
        let result = await timeout.result(of: store)
        if result == nil { onFailure(StoreTimeout.failure) }
        return result
    }

    private func name(_ partial: PartialDownload, _ offset: Int) -> String { "\n\(partial.validator) at \(offset)" }

    /// - Parameter name: The name of a part, or an empty text for the descriptive entry.
    private func key(_ name: String, creating: Bool = false) async throws(DataCacheError) -> DataCacheKey? {
        if !isPrivate { return DataCacheKey(identifier: text + name) }
        return try await names.name(for: text + name, creationTime: creating ? now() : nil)
            .map { DataCacheKey(identifier: "partial \($0)") }
    }

    private func entry(_ name: String) async -> Data? {
        await reporting { () async throws(DataCacheError) in
            guard let key = try await key(name) else { return nil as Data? }
            return try await cache.entry(for: key)?.data
        } ?? nil
    }

    private func save(_ data: Data, _ name: String) async -> Bool {
        let entry = DataCacheEntry(data: data, creationDate: now())
        return await reporting { () async throws(DataCacheError) -> Void in
            if let key = try await key(name, creating: true) { try await cache.store(entry, for: key) }
        } != nil
    }

    @discardableResult
    private func reporting<Value>(_ operation: () async throws(DataCacheError) -> Value) async -> Value? {
        do throws(DataCacheError) {
            return try await operation()
        } catch {
            onFailure(error)
            return nil
        }
    }
}
