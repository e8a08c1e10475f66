import ImageCore

extension ImageLoader {
    /// Loads an image that is not in memory, and sends the last event of the request.
    func image(
        for context: RequestContext, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage {
        let isProgressive = context.request.isProgressive
        do {
            try context.checkURL()
            context.send(.memoryMiss(missReason(for: context)))
            subscribeToPreviews(of: context)
            defer { unsubscribeFromPreviews(of: context) }
            let load = context.request.processors.isEmpty ? decodedImage : processedImage
            let result = try await load(context, priority) { progress in
                onProgress(isProgressive ? progress : progress.withoutPreview)
            }
            context.sendJoined(result)
            try Task.checkCancellation()
            // The request that started the work may not write to memory.
            if !result.isInMemory { _ = storeInMemory(result, for: context) }
            context.send(.succeeded(result.loaded.source))
            return result.loaded
        } catch {
            throw context.failed(error)
        }
    }

    /// Returns the decoded image, processed by the request's processors.
    private func processedImage(
        for context: RequestContext, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> ImageJobResult {
        try await configuration.imageCoalescer.value(
            for: context.imageKey, priority: priority, onProgress: onProgress
        ) { shared in
            if let hit = self.lateMemoryHit(for: context) { return hit }
            let previews = self.previewProcessor(for: context, shared)
            defer { previews.finish() }
            let unprocessed = context.withoutProcessors()
            let decoded = try await self.decodedImage(for: unprocessed, shared.priority) { progress in
                shared.report(progress.withoutPreview)
                if let preview = progress.preview { previews.offer(preview, number: preview.number) }
            }
            previews.finish()
            unprocessed.sendJoined(decoded)
            return self.storeInMemory(try await self.process(decoded, for: context, shared.priority), for: context)
        }
    }

    /// Returns the original, decoded to the request's target.
    private func decodedImage(
        for context: RequestContext, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> ImageJobResult {
        try await configuration.imageCoalescer.value(
            for: context.imageKey, priority: priority, onProgress: onProgress
        ) { shared in
            if let hit = self.lateMemoryHit(for: context) { return hit }
            let previews = self.previewDecoder(for: context, shared)
            defer { previews?.finish() }
            let original = try await self.originalData(for: context, shared.priority) { progress in
                shared.report(progress)
                if let previews { self.offerBytes(for: context, to: previews) }
            }
            previews?.finish()
            return self.storeInMemory(try await self.decode(original, for: context, shared), for: context)
        }
    }

    /// Returns the image if another request has stored it in memory since this request looked it up.
    private func lateMemoryHit(for context: RequestContext) -> ImageJobResult? {
        guard context.imageKey.readsMemory, let image = configuration.memoryCache?.image(for: context.key) else {
            return nil
        }
        context.send(.memoryHit)
        let loaded = LoadedImage(image: image, source: .memory, encodedByteCount: nil)
        return ImageJobResult(
            loaded: loaded, requestID: context.id, lastReload: context.route.lastReload, isInMemory: true)
    }

    private func process(
        _ decoded: ImageJobResult, for context: RequestContext, _ priority: LivePriority
    ) async throws -> ImageJobResult {
        var result = decoded
        context.send(.queued(.decode))
        result.loaded.image = try await configuration.scheduler.runInDecodeLane(priority) { isCancelled in
            try decoded.loaded.image.processed(by: context.request.processors, isCancelled: isCancelled)
        }
        context.send(.processed)
        return result
    }
}

extension RequestContext {
    /// Returns the request for the image to process. Its result is not stored in memory.
    fileprivate func withoutProcessors() -> RequestContext {
        replacing { request in
            request.processors = []
            request.cachePolicy.memory = request.cachePolicy.memory.reads ? .readOnly : .none
        }
    }

    fileprivate func sendJoined(_ result: ImageJobResult) {
        sendJoined(result.requestID, result.loaded.source, bytes: result.loaded.encodedByteCount)
    }
}

extension WorkProgress {
    var withoutPreview: WorkProgress { WorkProgress(completedBytes: completedBytes, totalBytes: totalBytes) }
}

extension DecodedImage {
    /// Applies processors. Throws `ImageError.processing`, or `CancellationError` between two processors.
    func processed(by processors: [any ImageProcessor], isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        var image = self
        for processor in processors {
            if isCancelled() { throw CancellationError() }
            do {
                image.bitmap = try processor.process(image.bitmap)
            } catch {
                throw ImageError.processing(identifier: processor.identifier, "\(error)")
            }
        }
        return image
    }
}
