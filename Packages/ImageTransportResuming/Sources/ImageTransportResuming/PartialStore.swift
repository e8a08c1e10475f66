import HTTPTypes
import ImageCore
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps the beginning of one body in a cache of bytes: an entry that says what it is, and one entry for each part.
///
/// Parts are named by validator and offset, so parts of different bodies are never joined, even if others write to the store.
struct PartialStore: Sendable {
    let cache: any DataCache
    /// What was asked for.
    let url: URL
    let source: String
    let now: @Sendable () -> Date

    /// - Parameter partition: whose parts these are.
    init(
        _ request: TransportRequest, in cache: any DataCache, partition: String, now: @escaping @Sendable () -> Date
    ) {
        self.cache = cache
        self.now = now
        url = request.url
        let headers = request.identityHeaders ?? request.headers
        let fields =
            "\(partition.utf8.count):\(partition)"
            + headers.map { "\n\($0.name.canonicalName): \($0.value)" }.sorted().joined()
        // Credentials among the fields are not to lie on disk in the key.
        source = "partial \(request.url.absoluteString) \(SHA256.hexadecimalDigest(of: Array(fields.utf8)))"
    }

    /// What is kept, and where its parts begin and end; parts before the last byte alone, so that there is always a rest to ask for.
    func kept() async throws(DataCacheFailure) -> (PartialDownload, parts: [Range<Int>])? {
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

    func keep(_ partial: PartialDownload) async throws(DataCacheFailure) {
        guard let data = try? JSONEncoder().encode(partial) else { return }
        try await cache.store(DataCacheEntry(data: data, createdAt: now()), for: DataCacheKey(source: source))
    }

    func keep(_ part: Data, of partial: PartialDownload, at offset: Int) async throws(DataCacheFailure) {
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
