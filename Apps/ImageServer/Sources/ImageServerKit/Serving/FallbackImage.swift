import Foundation
import ImageCoalescing
import ImageCore
import ImageMemoryCaching

/// The image in place of sources that can't be loaded or decoded.
struct FallbackImage: Sendable {
    /// The status of its responses; nil for that of the failure.
    let status: Int?
    /// For how long clients may keep it.
    let lifetime: Duration
    let source: Source
    /// The results, under keys with the digests of the files of which they are made.
    let results = MemoryCache<String, StoredResult>(limits: CacheLimits(cost: 16 << 20))
    /// The results in progress, under the same keys.
    let renderings = TaskCoalescer<String, StoredResult>()

    /// Where the file is.
    enum Source: Sendable {
        /// In memory.
        case data(Data)
        /// At an address. It is loaded when it is needed.
        case url(URL)
    }
}

extension ImageService {
    /// Returns the fallback image in the size and format of a request.
    ///
    /// - Throws: The failure, if there is no fallback image for it, or if that can't be rendered either.
    func fallback(
        for request: ParsedRequests.Entry, after failure: ServiceFailure, _ trace: TraceContext
    ) async throws(ServiceFailure) -> Rendering {
        guard let fallback = parts.fallback, failure.isOfSource else { throw failure }
        do {
            var result = try await result(of: fallback, request, trace)
            if request.client.isPersonal { result.metadata.storage = .client }
            result.metadata.freshUntil = parts.now().addingTimeInterval(fallback.lifetime.seconds)
            return Rendering(result: result, level: .origin, failure: failure)
        } catch {
            throw failure
        }
    }

    /// Returns the image with the options of a request, from memory if it was made of the same files before.
    private func result(
        of fallback: FallbackImage, _ request: ParsedRequests.Entry, _ trace: TraceContext
    ) async throws -> StoredResult {
        let source =
            switch fallback.source {
            case .data(let data): data
            // It is needed most when its server is down.
            case .url(let url): try await file(at: url, acceptsStale: true, trace).data
            }
        let watermark = try await watermark(of: request, trace)
        let digest = Digest.text(of: source) + (watermark.map { Digest.text(of: $0.data) } ?? "")
        let output = request.accepted.cacheKey(request.url.options.format)
        let key = "\(digest) \(output) \(request.url.options.cacheKey)"
        var result = try await fallback.renderings.value(
            for: key, priority: LivePriority(.normal), onProgress: { _ in }
        ) { [self] _ in
            if let known = fallback.results.value(for: key) { return known }
            let image = try await render(source, request, watermark, trace)
            let result = self.result(image, digest, OriginFreshness())
            fallback.results.insert(result, cost: result.data.count + key.utf8.count, for: key)
            return result
        }
        result.metadata.storage = watermark?.freshness.storage ?? .shared
        return result
    }
}

extension ServiceFailure {
    /// Whether the source can't be loaded or decoded, although it may be.
    fileprivate var isOfSource: Bool {
        switch self {
        case .source, .unavailable, .file, .rendering(.decoding): true
        default: false
        }
    }
}
