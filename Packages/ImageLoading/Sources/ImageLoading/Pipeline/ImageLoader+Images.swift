import ImageCore
import ImageTransporting
import Synchronization

/// The functions that a request passes through if its image is not in memory:
///
/// 1. `image`, shared by requests for the same image: `decodedImage`, or `processedImage`, which asks for the image
///    without processors.
/// 2. `originalData`, shared by requests for any size: `askDisk` finds the stored original, or `makeAttempt` waits for
///    conditions and for a slot in the download lane. `loadOriginal` repeats both after a failure.
/// 3. `decode` and `process` in the decode lane, then `store` in memory.
///
/// A shared operation is a caller of the next one. So changes of priority reach the work that waits in the gate or in a
/// lane, and cancellation, after the last caller has left, reaches the transport.
extension ImageLoader {
    /// Loads an image that is not in memory, and sends the last event of the request.
    func result(
        for context: RequestContext, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async -> Result<ImageResult, ImageError> {
        let isProgressive = context.request.isProgressive
        let report = { @Sendable in onProgress(isProgressive ? $0 : $0.withoutPreview) }
        do {
            try begin(context)
            defer { unsubscribeFromPreviews(of: context) }
            let result = try await awaitingResult(for: context) {
                try await image(for: context, priority, report)
            }
            try finish(context, result)
            return .success(result)
        } catch {
            return .failure(context.failed(error))
        }
    }

    /// Begins a request for an image that is not in memory.
    private func begin(_ context: RequestContext) throws(ImageError) {
        try context.checkURL()
        context.send(.memoryMiss(missReason(for: context)))
        subscribeToPreviews(of: context)
    }

    /// Ends a request with the result of an operation that another request may have started.
    private func finish(_ context: RequestContext, _ result: ImageResult) throws(ImageError) {
        context.sendJoined(result.requestID, result.loaded.source, bytes: result.loaded.encodedByteCount)
        if Task.isCancelled { throw .cancelled }
        // The policy of the request that started it may have kept it out of memory.
        if !result.isInMemory {
            _ = insert(result.loaded, result.start, isStored: result.isStored, for: context)
        }
        context.send(.succeeded(result.loaded.source))
    }

    /// Returns the image, which requests for the same one share.
    private func image(
        for context: RequestContext, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> ImageResult {
        try await shared(context.imageKey, priority, onProgress) { shared in
            if let hit = self.lateMemoryHit(for: context) { return hit }
            if context.request.processors.isEmpty { return try await self.decodedImage(for: context, shared) }
            return try await self.processedImage(for: context, shared)
        }
    }

    /// Returns the decoded image, processed by the request's processors.
    private func processedImage(
        for context: RequestContext, _ shared: any SharedOperation
    ) async throws -> ImageResult {
        let previews = previewProcessor(for: context, shared)
        defer { previews.finish() }
        let unprocessed = context.withoutProcessors()
        let decoded = try await image(for: unprocessed, shared.priority) { progress in
            shared.report(progress.withoutPreview)
            if let preview = progress.preview { previews.offer(preview, number: preview.number) }
        }
        previews.finish()
        unprocessed.sendJoined(decoded.requestID, decoded.loaded.source, bytes: decoded.loaded.encodedByteCount)
        return try await process(decoded, for: context, shared.priority)
    }

    /// Returns the original, decoded to the request's target.
    private func decodedImage(
        for context: RequestContext, _ shared: any SharedOperation
    ) async throws -> ImageResult {
        let previews = PreviewSession(context)
        let original = try await originalData(for: context, shared, previews)
        return try await decodeOrRenew(original, for: context, shared, previews)
    }

    /// Returns the original. Reports previews of the bytes that arrive.
    private func originalData(
        for context: RequestContext, _ shared: any SharedOperation, _ session: PreviewSession
    ) async throws -> OriginalResult {
        let previews = previewQueue(for: session, shared)
        defer { previews.finish() }
        return try await originalData(for: context, shared.priority) { progress in
            shared.report(progress)
            self.offerBytes(for: context, to: previews)
        }
    }

    /// Returns the image if another request has stored it in memory since this request looked it up.
    private func lateMemoryHit(for context: RequestContext) -> ImageResult? {
        let start = context.newestStart
        guard let hit = imageInMemory(context.key, for: context.request) else { return nil }
        context.send(.memoryHit)
        return ImageResult(
            hit, requestID: context.id, start: start, isStored: false, isInMemory: true, animated: nil)
    }

    private func process(
        _ decoded: ImageResult, for context: RequestContext, _ priority: LivePriority
    ) async throws -> ImageResult {
        context.send(.queued(.decode))
        var loaded = decoded.loaded
        loaded.decoded = try await configuration.scheduler.runDecoding(priority: priority) { isCancelled in
            context.send(.processingStarted)
            return try decoded.loaded.decoded.processed(by: context.request.processors, isCancelled: isCancelled)
        }
        context.send(.processed)
        return store(
            loaded, decoded.start, isStored: decoded.isStored, animated: decoded.animated, for: context)
    }

    /// Decodes an original. Stored bytes that can't be decoded are removed and downloaded once more, unless a reload
    /// has replaced them.
    private func decodeOrRenew(
        _ original: OriginalResult, for context: RequestContext, _ shared: any SharedOperation,
        _ previews: PreviewSession
    ) async throws -> ImageResult {
        do {
            return try await decode(original, for: context, shared.priority)
        } catch let failure where failure.isOfDamagedData && context.cacheUse.access != .disabled {
            return try await renewImage(original, after: failure, for: context, shared, previews)
        }
    }

    private func renewImage(
        _ original: OriginalResult, after failure: any Error, for context: RequestContext,
        _ shared: any SharedOperation, _ previews: PreviewSession
    ) async throws -> ImageResult {
        let isStored = [.disk, .validated, .stale].contains(original.loaded.source)
        let isCurrent = context.isCurrent(original.start)
        if isStored { context.send(.diskMiss(.notAnImage)) }
        if isCurrent { try await removeStoredOriginal(for: context) }
        guard isStored, !context.cacheUse.isCacheOnly else { throw failure }
        let renewal = context.replacing { $0.mode = isCurrent ? .reload : $0.mode }
        await previews.restart()
        let renewed = try await originalData(for: renewal, shared, previews)
        do {
            return try await decode(renewed, for: context, shared.priority)
        } catch let failure where failure.isOfDamagedData {
            if context.isCurrent(renewed.start) { try await removeStoredOriginal(for: renewal) }
            throw failure
        }
    }

    private func decode(
        _ original: OriginalResult, for context: RequestContext, _ priority: LivePriority
    ) async throws -> ImageResult {
        let (decoder, decoding) = (configuration.decoder, context.request.decoding)
        context.send(.queued(.decode))
        let image = try await configuration.scheduler.runDecoding(priority: priority) { isCancelled in
            context.send(.decodingStarted)
            return try decoder.decode(original.loaded.data, request: decoding, isCancelled: isCancelled)
        }
        context.send(.decoded(image.bitmap.size))
        let (source, byteCount) = (original.loaded.source, original.loaded.data.count)
        return store(
            LoadedImage(decoded: image, source: source, encodedByteCount: byteCount), original.start,
            isStored: original.isStored, animated: image.header.frameCount > 1 ? original.loaded.data : nil,
            for: context)
    }

    private func missReason(for context: RequestContext) -> CacheMiss {
        if configuration.memoryCache == nil { return .noCache }
        if !context.readsMemory { return .policy }
        return .absent
    }

    /// Returns the result of an operation, after its image was stored in memory if possible.
    private func store(
        _ loaded: LoadedImage, _ start: UInt64, isStored: Bool, animated: Data?, for context: RequestContext
    ) -> ImageResult {
        ImageResult(
            loaded, requestID: context.id, start: start, isStored: isStored,
            isInMemory: insert(loaded, start, isStored: isStored, for: context), animated: animated)
    }

    /// Stores an image in memory, unless there is no cache, the policy forbids it, it is stale, or newer bytes have
    /// arrived. Returns whether it was stored.
    ///
    /// Previews never get here: only `WorkProgress` has them.
    private func insert(
        _ loaded: LoadedImage, _ start: UInt64, isStored: Bool, for context: RequestContext
    ) -> Bool {
        guard context.request.cachePolicy.memory.writes, loaded.source != .stale,
            let cache = configuration.memoryCache
        else { return false }
        let (key, original) = (context.key, context.original)
        if context.isCurrent(start) {
            // By default, an image whose original is on disk is cheap to get back.
            let isAtHand = isStored || [.disk, .local].contains(loaded.source)
            let retention: MemoryRetention = isAtHand ? .expendable : .preferred
            cache.insert(loaded.decoded, for: key, retention: context.request.memoryRetention ?? retention)
            generations.withLock { $0.store(key, start, of: original) }
            if context.isCurrent(start) {
                context.send(.storedInMemory)
                return true
            }
        } else if !context.request.mode.needsServer
            || generations.withLock({ $0.hasStored(key, after: start, of: original) })
        {
            return false
        }
        // A newer reload has won meanwhile. What this request found in memory may be older than the server's answer.
        cache.remove(for: key)
        return false
    }
}

extension Error {
    /// Whether the bytes of an original can't be decoded.
    fileprivate var isOfDamagedData: Bool { (self as? ImageDecodingError)?.isCausedByData ?? false }
}

extension RequestContext {
    /// Returns the request for the image to process. Its result is not stored in memory.
    fileprivate func withoutProcessors() -> RequestContext {
        replacing { request in
            request.processors = []
            request.cachePolicy.memory = request.cachePolicy.memory.reads ? .readOnly : .disabled
        }
    }
}
