public import Foundation
import ImageCore
import ImageMemoryCaching

/// The image in place of sources that can't be loaded or decoded.
public final class FallbackImage: Sendable {
    /// The status of its responses; nil for that of the failure.
    let status: Int?
    /// For how long clients may keep it.
    let lifetime: Duration
    private let source: @Sendable () async throws -> Data
    private let results = MemoryCache<String, StoredResult>(limits: CacheLimits(cost: 16 << 20))

    /// - Parameters:
    ///   - status: The status of its responses; nil for that of the failure.
    ///   - lifetime: For how long clients may keep it.
    ///   - source: Returns the file.
    public init(status: Int?, lifetime: Duration, source: @escaping @Sendable () async throws -> Data) {
        self.status = status
        self.lifetime = lifetime
        self.source = source
    }

    /// Returns the image with some options, from memory if it was made before.
    ///
    /// - Parameter render: Makes the image from the file.
    func result(
        for key: String, render: (Data) async throws -> StoredResult
    ) async throws -> StoredResult {
        if let result = results.value(for: key) { return result }
        let result = try await render(try await source())
        results.insert(result, cost: result.data.count + key.utf8.count, for: key)
        return result
    }
}

extension ImageService {
    /// Returns the fallback image in the size and format of a request.
    ///
    /// - Throws: The failure, if there is no fallback image for it, or if that can't be rendered either.
    func fallback(
        for request: ParsedRequests.Entry, after failure: ServiceFailure
    ) async throws(ServiceFailure) -> ImageAnswer {
        guard let fallback = parts.fallback, failure.isOfSource else { throw failure }
        let output = "\(request.url.options.format?.rawValue ?? "") \(request.accepted.cacheKey)"
        do {
            var result = try await fallback.result(for: "\(output) \(request.url.options.cacheKey)") { source in
                try await rendered(source, request)
            }
            if request.client.isPersonal { result.metadata.storage = .client }
            result.metadata.freshUntil = parts.now().addingTimeInterval(fallback.lifetime.seconds)
            var answer = ImageAnswer(
                result: result, level: .origin, url: request.url, times: StageTimes(),
                vary: vary(request.url))
            answer.fallbackStatus = fallback.status ?? failure.status
            return answer
        } catch {
            throw failure
        }
    }

    private func rendered(_ source: Data, _ request: ParsedRequests.Entry) async throws -> StoredResult {
        let image = try await withDeadline(parts.timeLimit, clock: parts.clock) { [self] in
            let trace = TraceContext()
            return try await render(source, request, try await watermark(of: request, trace), trace)
        }
        return result(image, Digest.text(of: source), OriginFreshness())
    }
}

extension ServiceFailure {
    /// Whether the source can't be loaded or decoded, although it may be.
    fileprivate var isOfSource: Bool {
        switch self {
        case .source(.cancelled), .source(.invalidated), .source(.processing): false
        case .source, .originBusy, .file, .rendering(.decoding): true
        default: false
        }
    }
}
