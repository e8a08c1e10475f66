import Foundation
import ImageCore
import ImageMetadata
import ImageObserving
import Logging

extension ImageService {
    /// Returns a result of the slower levels, or renders it or the fallback image.
    func rendering(_ request: ParsedRequests.Entry, _ trace: TraceContext) async throws -> Rendering {
        var watch = Stopwatch(parts.clock)
        let hit = await parts.tracer.traced("lookup", in: trace) { _ in await self.stored(request) }
        let lookup = watch.lap()
        if let hit, hit.result.metadata.freshUntil > parts.now() {
            return Rendering(result: hit.result, level: hit.level, times: [.lookup: lookup])
        }
        let queue = parts.tracer.start("queue", in: trace)
        // Of a request that is refused, too.
        defer { queue.end() }
        return try await parts.gate.run(origin: request.url.source.originName) {
            queue.end()
            var rendering: Rendering
            do {
                rendering = try await self.leased(request, stale: hit?.result, trace)
            } catch {
                rendering = try await self.fallback(for: request, after: ServiceFailure(error), trace)
            }
            rendering.times[.lookup] = lookup
            return rendering
        }
    }

    private func stored(_ request: ParsedRequests.Entry) async -> ResultCache.Hit? {
        await parts.cache.result(for: request.key, madeAfter: parts.purges.time(for: request.url))
    }

    /// Renders the result, unless another server is doing that.
    private func leased(
        _ request: ParsedRequests.Entry, stale: StoredResult?, _ trace: TraceContext
    ) async throws -> Rendering {
        try await parts.lease.value(for: request.key) {
            guard let hit = await stored(request), hit.result.metadata.freshUntil > parts.now()
            else {
                return nil
            }
            return Rendering(result: hit.result, level: hit.level)
        } produce: {
            try await produce(request, stale: stale, trace)
        }
    }

    private func produce(
        _ request: ParsedRequests.Entry, stale: StoredResult?, _ trace: TraceContext
    ) async throws -> Rendering {
        var watch = Stopwatch(parts.clock)
        let start = parts.now()
        let (source, ofSource) = try await source(of: request, trace)
        let watermark = try await watermark(of: request, trace)
        let loading = watch.lap()
        let loaded = watermark.map { ofSource.combined(with: $0.freshness) } ?? ofSource
        // Only the client itself may store what was loaded with its fields (RFC 9111, 3.5), and this server for it.
        let freshness = request.client.isPersonal ? loaded.combined(with: OriginFreshness(storage: .client)) : loaded
        let digest = Digest.text(of: source) + (watermark.map { Digest.text(of: $0.data) } ?? "")
        var rendering: Rendering
        if let stale, stale.metadata.originalDigest == digest {
            rendering = Rendering(result: renewed(stale, freshness), level: .origin)
        } else {
            let image = try await render(source, request, watermark, trace)
            if image.leftOutFrames > 0 { logLeftOut(image.leftOutFrames, of: request.url.source, trace) }
            rendering = Rendering(result: result(image, digest, freshness), level: .origin, times: image.times)
        }
        rendering.result.metadata.madeAt = start
        rendering.times[.source] = loading
        let isPurged = parts.purges.time(for: request.url) >= start
        if loaded.storage == .shared, !isPurged { await parts.cache.storeShared(rendering.result, for: request.key) }
        return rendering
    }

    /// Loads the original through the loader, which has its own caches and shares downloads.
    func source(
        of request: ParsedRequests.Entry, _ trace: TraceContext
    ) async throws -> (data: Data, freshness: OriginFreshness) {
        let source = request.url.source
        return try await load(
            request.client.request(for: source, purgedAt: parts.purges.time(ofOriginal: source)), trace)
    }

    /// Loads a source or a watermark.
    func load(
        _ original: ImageRequest, _ trace: TraceContext
    ) async throws -> (data: Data, freshness: OriginFreshness) {
        do {
            let loaded = try await parts.tracer.traced("source", in: trace) { span in
                var request = original
                if parts.tracer.isRecording { request.userInfo[.trace] = span.trace }
                return try await self.parts.loader.data(for: request)
            }
            return (loaded.data, OriginFreshness(loaded.responses))
        } catch ImageError.network(let failure) where original.url?.isFileURL == true {
            throw ServiceFailure.file("\(failure.kind.rawValue): \(failure.reason)")
        } catch ImageError.network(let failure) where failure.kind == .serverUnavailable {
            throw ServiceFailure.unavailable(.network(failure), retryAfter: parts.originPause)
        }
    }

    /// - Parameter file: The watermark that the URL names; nil for that of the settings.
    func render(
        _ source: Data, _ request: ParsedRequests.Entry, _ file: LoadedFile?, _ trace: TraceContext
    ) async throws -> RenderedImage {
        let renderer = renderer(for: request)
        let origin = request.url.options.watermarkSource?.originName ?? ""
        let loaded = file.map { Watermark(file: $0.data, opacity: parts.watermarkOpacity, origin: origin) }
        let watermark = loaded ?? parts.watermark
        let watch = Stopwatch(parts.clock)
        return try await parts.tracer.traced("render", in: trace) { span in
            let image = try await decoding(request.url.source.originName) { isCancelled in
                var watch = watch
                let waiting = watch.lap()
                var image = try renderer.render(
                    source, request.url.options, accepted: request.accepted, watermark: watermark,
                    isCancelled: isCancelled)
                image.times[.queue] = waiting
                return image
            }
            parts.tracer.addStages(image.times, to: span)
            return image
        }
    }

    func result(_ image: RenderedImage, _ digest: String, _ freshness: OriginFreshness) -> StoredResult {
        let metadata = ResultMetadata(
            format: image.format.rawValue, width: image.size.width, height: image.size.height,
            tag: "\"\(Digest.text(of: image.data))\"",
            leftOutFrames: image.leftOutFrames > 0 ? image.leftOutFrames : nil,
            losses: image.losses.isEmpty ? nil : image.losses.map(\.rawValue), originalDigest: digest,
            storage: freshness.storage, madeAt: parts.now(),
            freshUntil: parts.bounds.end(of: freshness, now: parts.now()), thumbHash: image.thumbHash,
            sourceSize: image.sourceSize)
        return StoredResult(data: image.data, metadata: metadata)
    }

    private func logLeftOut(_ count: Int, of source: URL, _ trace: TraceContext) {
        parts.logger.notice(
            "frames left out",
            metadata: [
                "source": "\(LoaderInstrumentation.redacted(source).prefix(500))", "frames": "\(count)",
                "trace": "\(trace.traceID)",
            ])
    }

    private func renewed(_ stale: StoredResult, _ freshness: OriginFreshness) -> StoredResult {
        var result = stale
        result.metadata.storage = freshness.storage
        result.metadata.freshUntil = parts.bounds.end(of: freshness, now: parts.now())
        return result
    }
}
