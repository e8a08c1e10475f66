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
    private let cache: any DataCache
    /// The source of the key of the descriptive entry.
    private let source: String
    private let now: @Sendable () -> Date
    private let onFailure: @Sendable (DataCacheFailure) -> Void

    /// - Parameters:
    ///   - partition: The name of the account.
    ///   - onFailure: Called if the cache fails. The methods then return nil or false.
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
        source = "partial \(request.url.normalizedText) \(SHA256.hexadecimalDigest(of: Array(fields.utf8)))"
    }

    /// Returns the description of the stored body and the ranges of its parts. Omits a part with the last byte, so that
    /// there is always a rest to request.
    func stored() async -> (PartialDownload, parts: [Range<Int>])? {
        guard let entry = await entry(DataCacheKey(source: source)),
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

    /// Returns whether the description is stored.
    func save(_ partial: PartialDownload) async -> Bool {
        guard let data = try? JSONEncoder().encode(partial) else { return false }
        return await save(data, DataCacheKey(source: source))
    }

    /// Returns whether the part is stored.
    func save(_ part: Data, of partial: PartialDownload, at offset: Int) async -> Bool {
        await save(part, key(partial, offset))
    }

    func remove(_ partial: PartialDownload, parts: [Range<Int>]) async {
        let keys = [DataCacheKey(source: source)] + parts.map { key(partial, $0.lowerBound) }
        await reporting { () async throws(DataCacheFailure) in
            for key in keys { try await cache.remove(for: key) }
        }
    }

    private func key(_ partial: PartialDownload, _ offset: Int) -> DataCacheKey {
        DataCacheKey(source: "\(source)\n\(partial.validator) at \(offset)")
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
