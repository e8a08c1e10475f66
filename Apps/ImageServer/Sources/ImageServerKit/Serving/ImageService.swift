import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageMemoryCaching
import ImageMetadata
import ImageThumbHash

/// Answers requests for images: from the caches of results, or by loading and rendering the source.
///
/// Equal requests at the same time share the work. It knows no HTTP server.
package final class ImageService: Sendable {
    let parts: ImageServiceParts
    private let renderings = TaskCoalescer<String, Rendering>()
    private let requests = ParsedRequests(byteLimit: 16 << 20)
    let files = LoadedFiles(limits: CacheLimits(cost: 16 << 20))

    init(_ parts: ImageServiceParts) { self.parts = parts }

    /// A result with its level and the times of the stages.
    struct Rendering: Sendable {
        var result: StoredResult
        var level: ResultLevel
        var times: StageTimes = [:]
        /// Why it is the fallback image; nil if it is that of the source.
        var failure: ServiceFailure?
    }

    /// Returns the image for a path, if it is in memory. Never waits.
    ///
    /// - Parameter path: The path of the request, without the query.
    /// - Throws: `.url` or `.origin`.
    func imageInMemory(
        path: some StringProtocol, accept: String?, hints: ClientHints = ClientHints(), fields: HTTPFields = [:]
    ) throws(ServiceFailure) -> ImageAnswer? {
        let request = try parsed(path, accept, hints, fields)
        let purge = parts.purges.time(for: request.url)
        guard let result = parts.cache.resultInMemory(for: request.key, madeAfter: purge) else { return nil }
        return ImageAnswer(
            result: result, level: .memory, url: request.url, vary: request.vary, preparedFields: request.preparedFields
        )
    }

    /// Returns the image for a path.
    ///
    /// - Parameters:
    ///   - path: The path of the request, without the query.
    ///   - trace: The trace of the request. The first of several equal requests gives the trace of their work.
    func image(
        path: some StringProtocol, accept: String?, hints: ClientHints = ClientHints(), fields: HTTPFields = [:],
        trace: TraceContext = TraceContext()
    ) async throws(ServiceFailure) -> ImageAnswer {
        let request = try parsed(path, accept, hints, fields)
        // What began before a purge is not for those who ask after it.
        let purge = parts.purges.time(for: request.url)
        let key = purge == .distantPast ? request.key : "\(request.key) \(purge.timeIntervalSince1970)"
        do {
            let rendering = try await renderings.value(
                for: key, priority: LivePriority(.normal), onProgress: { _ in }
            ) { [self] _ in
                try await withDeadline(parts.timeLimit, clock: parts.clock) {
                    try await self.rendering(request, trace)
                }
            }
            return ImageAnswer(
                result: rendering.result, level: rendering.level, url: request.url, times: rendering.times,
                fallbackStatus: rendering.failure.map { parts.fallback?.status ?? $0.status },
                failure: rendering.failure, vary: request.vary, preparedFields: request.preparedFields)
        } catch {
            throw ServiceFailure(error)
        }
    }

    /// Returns what is known about the source of a path.
    func info(
        path: some StringProtocol, fields: HTTPFields = [:], trace: TraceContext = TraceContext()
    ) async throws(ServiceFailure) -> ImageInfo {
        let request = try parsed(path, nil, ClientHints(), fields)
        do {
            return try await withDeadline(parts.timeLimit, clock: parts.clock) { [self] in
                try await parts.gate.run(origin: request.url.source.originName) {
                    try await self.info(of: request, trace)
                }
            }
        } catch {
            throw ServiceFailure(error)
        }
    }

    /// The largest number of sources of one request.
    static let maxInfoCount = 100
    /// The number of sources of one request that are read at a time.
    private static let maxInfosAtOnce = 4

    /// Returns what is known about the sources of paths, in the same order.
    func infos(paths: [String], fields: HTTPFields, trace: TraceContext) async -> [ImageInfoResult] {
        var results = Array(repeating: ImageInfoResult(), count: paths.count)
        await withTaskGroup(of: (Int, ImageInfoResult).self) { group in
            for (index, path) in paths.enumerated() {
                if index >= Self.maxInfosAtOnce, let (done, result) = await group.next() { results[done] = result }
                group.addTask { (index, await self.infoResult(path, fields, trace)) }
            }
            for await (done, result) in group { results[done] = result }
        }
        return results
    }

    private func infoResult(_ path: String, _ fields: HTTPFields, _ trace: TraceContext) async -> ImageInfoResult {
        do throws(ServiceFailure) {
            return ImageInfoResult(info: try await info(path: path, fields: fields, trace: trace))
        } catch {
            return ImageInfoResult(failure: "\(error)")
        }
    }

    /// Ends all work, and waits until the results are written.
    package func shutDown() async {
        renderings.close(throwing: ServiceFailure.cancelled)
        await parts.cache.flush()
    }

    /// Returns the URL of a path that may be loaded.
    func checked(_ path: some StringProtocol) throws(ServiceFailure) -> ImageURL { try parsed(path, nil).url }

    private func vary(_ url: ImageURL) -> String {
        let accept = parts.formats.dependOnClient(url.options.format) ? ["Accept"] : []
        let hints = parts.usesClientHints ? [ClientHints.names] : []
        let priority = parts.usesPriority && parts.formats.allowProgressive(url.options.format) ? ["Priority"] : []
        return (accept + hints + priority + parts.forwarding.varyNames(for: url.source)).joined(separator: ", ")
    }

    private func parsed(
        _ path: some StringProtocol, _ accept: String?, _ hints: ClientHints = ClientHints(),
        _ fields: HTTPFields = [:]
    ) throws(ServiceFailure) -> ParsedRequests.Entry {
        let (path, (parser, generation)) = (String(path), parts.parser.current)
        let client = hints.key.map { "\(accept ?? "")\n\($0)" } ?? accept
        let fields = parts.forwarding.fields(of: fields)
        if fields.isEmpty, let entry = requests.entry(path, accept: client, generation: generation) { return entry }
        do {
            var url = try parser.parse(path, hints: hints, now: parts.now())
            try parts.originRules.check(url.source)
            try checkWatermark(of: url)
            let accepted = AcceptedFormats(
                accept: parts.formats.dependOnClient(url.options.format) ? accept : nil, rules: parts.formats)
            if !accepted.canBeProgressive(url.options.format) { url.options.isProgressive = false }
            let original = OriginalClient(fields, for: url.source, parts.forwarding)
            return requests.insert(
                path, accept: client,
                ParsedRequests.Entry(
                    url: url, accepted: accepted, client: original, key: key(url, accepted, original.identity),
                    vary: vary(url), generation: generation))
        } catch {
            throw ServiceFailure(error)
        }
    }

    private func checkWatermark(of url: ImageURL) throws(ServiceFailure) {
        guard let source = url.options.watermarkSource else { return }
        do throws(OriginRefusal) {
            try parts.originRules.check(source)
        } catch {
            throw .watermark(.origin(error))
        }
    }

    /// The key of a result in all levels. Its version changes if equal options give other results.
    private func key(_ url: ImageURL, _ accepted: AcceptedFormats, _ identity: String) -> String {
        let output = accepted.cacheKey(url.options.format)
        let options = url.options.watermark
        let watermark = options.opacity > 0 && options.source == nil ? parts.watermark?.identity ?? "" : ""
        // A URL has no spaces.
        let client = identity.isEmpty ? "" : ResultCache.privatePrefix + "for \(identity) "
        return "\(client)result 4 \(parts.settingsKey) \(output) \(url.options.cacheKey)\(watermark) "
            + url.source.absoluteString
    }

    private func info(of request: ParsedRequests.Entry, _ trace: TraceContext) async throws -> ImageInfo {
        let source = try await source(of: request, trace).data
        let renderer = renderer(for: request)
        return try await decoding(request.url.source.originName) { isCancelled in
            let header = try renderer.header(of: source)
            let preview = try renderer.preview(
                of: source, fitting: PixelSize(width: 100, height: 100), isCancelled: isCancelled)
            return ImageInfo(
                format: header.format.rawValue, width: header.size.width, height: header.size.height,
                orientation: header.orientation.rawValue, frames: header.frameCount, hasAlpha: header.hasAlpha,
                contents: ConversionLoss.possible(in: source, header: header).inOrder.map(\.rawValue),
                size: source.count, thumbHash: ThumbHash(bitmap: preview).base64)
        }
    }

    /// Returns a renderer whose workers have seen no image of another origin, or of another user.
    func renderer(for request: ParsedRequests.Entry) -> ImageRenderer {
        parts.renderer.scoped(to: "\(request.url.source.originName) \(request.client.identity)")
    }

    /// Runs synchronous work on a decoder, fairly to other origins. `work` may call `isCancelled` on any thread.
    func decoding<Value: Sendable>(
        _ origin: String,
        _ work: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        try await parts.decoders.run(origin: origin) {
            try await parts.scheduler.runDecoding(priority: LivePriority(.normal), work)
        }
    }
}

extension URL {
    /// The scheme, host and port, in one form for equal ones.
    var originName: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host()?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }
}
