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

    /// Decodes previews of the bytes that arrive. Returns nil if the decoder makes no previews.
    func previewDecoder(for context: RequestContext, _ shared: any SharedOperation) -> PreviewQueue<ReceivedBytes>? {
        guard let decoder = configuration.decoder as? any PreviewingImageDecoder else { return nil }
        let decoding = DecodingRequest(target: context.request.target)
        let session = PreviewSession { [throttle = configuration.previewThrottle] in
            decoder.makeSession(request: decoding, throttle: throttle)
        }
        return PreviewQueue(configuration, priority: shared.priority) { [uptime = retries.uptime] bytes, isCancelled in
            guard let preview = await session.preview(of: bytes, at: uptime(), isCancelled: isCancelled) else { return }
            if !isCancelled() { shared.report(preview) }
        }
    }

    /// Passes the bytes that have arrived to a preview decoder if a caller wants previews.
    func offerBytes(for context: RequestContext, to previews: PreviewQueue<ReceivedBytes>) {
        guard wantsPreviews(of: context.key), let bytes = downloads[context.dataKey] else { return }
        previews.offer(bytes, number: bytes.count)
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
