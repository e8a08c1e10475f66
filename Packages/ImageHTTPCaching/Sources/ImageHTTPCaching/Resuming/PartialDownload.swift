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

    let url: URL
    /// A strong entity tag or a strong Last-Modified date (RFC 9110, 8.8), with one character for each byte.
    let validator: String
    let totalBytes: Int
    private let fields: [Field]

    /// Returns nil unless the response has status 200, a length and a strong validator, isn't decoded, and allows
    /// ranges and storage.
    init?(_ head: ResponseHead, now: Date) {
        let headers = head.headers
        guard head.status == .ok, let total = head.expectedBytes, ContentCodings(headers).decodable.isEmpty,
            headers[.acceptRanges]?.lowercased() != "none",
            !CacheDirectives(headers).contains("no-store"),
            let validator = Self.strongValidator(headers, now: now)
        else { return nil }
        url = head.url
        self.validator = validator
        totalBytes = total
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
        case 200: .restarts
        case 416: .fetchesAgain
        default: .passesThrough
        }
    }

    private func isRest(_ head: ResponseHead, from offset: Int) -> Bool {
        guard head.url.normalizedText == url.normalizedText, ContentCodings(head.headers).decodable.isEmpty,
            let contentRange = head.headers[.contentRange].flatMap({ ContentRange($0) })
        else { return false }
        let current = head.headers[byteText: validator.hasPrefix("\"") ? .eTag : .lastModified]
        return (current ?? validator) == validator && contentRange.range == offset...(totalBytes - 1)
            && contentRange.totalBytes == totalBytes
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
        return ResponseHead(status: .ok, headers: headers, url: part.url, expectedBytes: totalBytes)
    }

    private static func isPositionField(_ name: HTTPField.Name) -> Bool {
        name == .contentLength || name == .contentRange
    }
}

/// The value of a Content-Range field: `bytes 0-99/1234` (RFC 9110, 14.4).
struct ContentRange: Equatable {
    let range: ClosedRange<Int>
    /// `nil` if the server doesn't know the length.
    let totalBytes: Int?

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
        totalBytes = Self.number(parts[1])
        guard parts[1] == "*" || totalBytes.map({ $0 > last }) == true else { return nil }
    }

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
    }
}

/// Stores the beginning of a body in a cache: an entry that describes the body, and an entry per part.
///
/// The keys of parts include the validator and the offset, so that parts of different bodies are never combined.
struct PartialStore: Sendable {
    private let cache: any DataCache
    /// The identifier in the key of the descriptive entry.
    private let identifier: String
    private let now: @Sendable () -> Date
    private let onFailure: @Sendable (DataCacheFailure) -> Void

    /// - Parameter onFailure: Called if the cache fails. The methods then return nil or false.
    init(
        _ request: TransportRequest, in cache: any DataCache, partition: String, now: @escaping @Sendable () -> Date,
        onFailure: @escaping @Sendable (DataCacheFailure) -> Void
    ) {
        self.cache = cache
        self.now = now
        self.onFailure = onFailure
        let headers = request.identityHeaders ?? request.headers
        let fields =
            partition.textWithLength
            + headers.map { [$0.name.canonicalName, $0.value].textWithLengths }.sorted().joined()
        // The fields are hashed because keys are stored on disk and the fields may contain credentials.
        identifier = "partial \(request.url.normalizedText) \(SHA256.hexadecimalDigest(of: Array(fields.utf8)))"
    }

    /// Returns the stored body and its parts. Omits a part with the last byte, so that there is always a rest to
    /// request.
    func stored() async -> (PartialDownload, parts: [Range<Int>])? {
        guard let entry = await entry(DataCacheKey(identifier: identifier)),
            let partial = try? JSONDecoder().decode(PartialDownload.self, from: entry)
        else { return nil }
        var parts: [Range<Int>] = []
        while let part = await part(of: partial, at: parts.last?.upperBound ?? 0) {
            let start = parts.last?.upperBound ?? 0
            guard !part.isEmpty, start + part.count < partial.totalBytes else { break }
            parts.append(start..<start + part.count)
        }
        return (partial, parts)
    }

    func part(of partial: PartialDownload, at offset: Int) async -> Data? { await entry(key(partial, offset)) }

    func save(_ partial: PartialDownload) async -> Bool {
        guard let data = try? JSONEncoder().encode(partial) else { return false }
        return await save(data, DataCacheKey(identifier: identifier))
    }

    func save(_ part: Data, of partial: PartialDownload, at offset: Int) async -> Bool {
        await save(part, key(partial, offset))
    }

    func remove(_ partial: PartialDownload, parts: [Range<Int>]) async {
        let keys = [DataCacheKey(identifier: identifier)] + parts.map { key(partial, $0.lowerBound) }
        await reporting { () async throws(DataCacheFailure) in
            for key in keys { try await cache.remove(for: key) }
        }
    }

    private func key(_ partial: PartialDownload, _ offset: Int) -> DataCacheKey {
        DataCacheKey(identifier: "\(identifier)\n\(partial.validator) at \(offset)")
    }

    private func entry(_ key: DataCacheKey) async -> Data? {
        await reporting { () async throws(DataCacheFailure) in try await cache.entry(for: key)?.data } ?? nil
    }

    private func save(_ data: Data, _ key: DataCacheKey) async -> Bool {
        let entry = DataCacheEntry(data: data, createdAt: now())
        return await reporting { () async throws(DataCacheFailure) in try await cache.store(entry, for: key) } != nil
    }

    @discardableResult
    private func reporting<Value>(_ operation: () async throws(DataCacheFailure) -> Value) async -> Value? {
        do throws(DataCacheFailure) {
            return try await operation()
        } catch {
            onFailure(error)
            return nil
        }
    }
}
