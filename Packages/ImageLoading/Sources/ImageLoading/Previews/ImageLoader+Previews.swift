import ImageCore
import Synchronization

extension ImageLoader {
    /// Registers the request if it wants previews. Shared operations make previews while there is such a request.
    func subscribeToPreviews(of context: RequestContext) {
        guard context.request.isProgressive else { return }
        previewSubscriptions.withLock { counts in
            for key in context.previewKeys { counts[key, default: 0] += 1 }
        }
    }

    func unsubscribeFromPreviews(of context: RequestContext) {
        guard context.request.isProgressive else { return }
        previewSubscriptions.withLock { counts in
            for key in context.previewKeys { counts[key] = counts[key].flatMap { $0 > 1 ? $0 - 1 : nil } }
        }
    }

    private func wantsPreviews(of key: ImageCacheKey) -> Bool { previewSubscriptions.withLock { $0[key] != nil } }

    /// Loads the original, and decodes previews while its bytes arrive if a caller wants them.
    func originalData(withPreviewsFor context: RequestContext, _ shared: any SharedOperation) async throws -> LoadedData
    {
        guard let decoder = configuration.decoder as? any PreviewingImageDecoder else {
            return try await originalData(for: context, shared.priority) { shared.report($0) }
        }
        let previews = previewDecoder(decoder, for: context, shared)
        defer { previews.finish() }
        return try await originalData(for: context, shared.priority) { progress in
            shared.report(progress)
            guard self.wantsPreviews(of: context.key), let bytes = self.downloads[context.dataKey] else { return }
            previews.offer(bytes, number: bytes.count)
        }
    }

    private func previewDecoder(
        _ decoder: any PreviewingImageDecoder, for context: RequestContext, _ shared: any SharedOperation
    ) -> PreviewQueue<ReceivedBytes> {
        let decoding = DecodingRequest(target: context.request.target)
        let session = PreviewSession { [throttle = configuration.previewThrottle] in
            decoder.makeSession(request: decoding, throttle: throttle)
        }
        return PreviewQueue(configuration, priority: shared.priority) { [uptime = retries.uptime] bytes, isCancelled in
            guard let preview = await session.preview(of: bytes, at: uptime(), isCancelled: isCancelled) else { return }
            if !isCancelled() { shared.report(preview) }
        }
    }

    /// Applies the request's processors to previews of the decoded image.
    func previewProcessor(for context: RequestContext, _ shared: any SharedOperation) -> PreviewQueue<ImagePreview> {
        PreviewQueue(configuration, priority: shared.priority) { preview, isCancelled in
            guard self.wantsPreviews(of: context.key) else { return }
            // A processor that fails on a preview may succeed on the final image.
            let processors = context.request.processors
            guard let image = try? preview.image.processed(by: processors, isCancelled: isCancelled) else { return }
            if !isCancelled() { shared.report(ImagePreview(image, number: preview.number)) }
        }
    }
}

extension RequestContext {
    /// The keys of the images that need previews for this request: its own, and the one before its processors.
    fileprivate var previewKeys: [ImageCacheKey] {
        if request.processors.isEmpty { return [key] }
        return [key, ImageCacheKey(source: key.source, target: request.target)]
    }
}

extension SharedOperation {
    func report(_ preview: ImagePreview) { report(WorkProgress(completedBytes: 0, totalBytes: nil, preview: preview)) }
}
