import HTTPTypes
import ImageCore
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores the beginning of a body in a cache: an entry that describes the body, and an entry per part.
///
/// The keys of parts include the validator and the offset. Parts of different bodies are therefore never combined, even
/// if other transfers write to the cache.
struct PartialStore: Sendable {
    let cache: any DataCache
    /// The URL of the request.
    let url: URL
    /// The source of the key of the descriptive entry.
    let source: String
    let now: @Sendable () -> Date

    /// - Parameter partition: The name of the account.
    init(
        _ request: TransportRequest, in cache: any DataCache, partition: String, now: @escaping @Sendable () -> Date
    ) {
        self.cache = cache
        self.now = now
        url = request.url
        let headers = request.identityHeaders ?? request.headers
        let fields =
            partition.textWithLength
            + headers.map { [$0.name.canonicalName, $0.value].textWithLengths }.sorted().joined()
        // The fields are hashed because keys are stored on disk and the fields may contain credentials.
        source = "partial \(request.url.normalizedText) \(SHA256.hexadecimalDigest(of: Array(fields.utf8)))"
    }

    /// Returns the description of the stored body and the ranges of its parts. Omits a part with the last byte, so that
    /// there is always a rest to request.
    func stored() async throws(DataCacheFailure) -> (PartialDownload, parts: [Range<Int>])? {
        guard let entry = try await cache.entry(for: DataCacheKey(source: source)),
            let partial = try? JSONDecoder().decode(PartialDownload.self, from: entry.data)
        else { return nil }
        var parts: [Range<Int>] = []
        while let part = try await part(of: partial, at: parts.last?.upperBound ?? 0) {
            let start = parts.last?.upperBound ?? 0
            guard !part.isEmpty, start + part.count < partial.totalBytes else { break }
            parts.append(start..<start + part.count)
        }
        return (partial, parts)
    }

    func part(of partial: PartialDownload, at offset: Int) async throws(DataCacheFailure) -> Data? {
        try await cache.entry(for: key(partial, offset))?.data
    }

    func save(_ partial: PartialDownload) async throws(DataCacheFailure) {
        guard let data = try? JSONEncoder().encode(partial) else { return }
        try await cache.store(DataCacheEntry(data: data, createdAt: now()), for: DataCacheKey(source: source))
    }

    func save(_ part: Data, of partial: PartialDownload, at offset: Int) async throws(DataCacheFailure) {
        try await cache.store(DataCacheEntry(data: part, createdAt: now()), for: key(partial, offset))
    }

    func remove(_ partial: PartialDownload, parts: [Range<Int>]) async throws(DataCacheFailure) {
        try await cache.remove(for: DataCacheKey(source: source))
        for part in parts { try await cache.remove(for: key(partial, part.lowerBound)) }
    }

    private func key(_ partial: PartialDownload, _ offset: Int) -> DataCacheKey {
        DataCacheKey(source: "\(source)\n\(partial.validator) at \(offset)")
    }
}
