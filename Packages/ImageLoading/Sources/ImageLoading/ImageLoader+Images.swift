import ImageCore
import Synchronization

extension ImageLoader {
    /// The picture for one request: joins or starts the work, and keeps in memory what that work did not keep.
    func sharedImage(
        _ key: ImageCacheKey, for request: ImageRequest, _ waiting: Waiting, _ events: EventSink
    ) async throws(ImageError) -> LoadedImage {
        let wishes = request.previewWishes(key)
        if !wishes.isEmpty { previewWishes.withLock { $0.began(wishes) } }
        defer { if !wishes.isEmpty { previewWishes.withLock { $0.ended(wishes) } } }
        do {
            return try await working(on: key.source) { reloadCount in
                let job = ImageJobKey(request, image: key, reloadCount: reloadCount)
                let keeps = request.cachePolicy.memory.writes
                let loaded = try await join(job, for: request, waiting, request.priority, keeps: keeps, events)
                // Work that was started for somebody who wanted no picture in memory.
                if keeps, !loaded.isInMemory { _ = keep(loaded, for: key, job.route) }
                return loaded
            }
        } catch {
            throw ImageError(error)
        }
    }

    /// Joins or starts the work for one picture.
    private func join(
        _ job: ImageJobKey, for request: ImageRequest, _ waiting: Waiting, _ priority: RequestPriority, keeps: Bool,
        _ events: EventSink
    ) async throws -> LoadedImage {
        let loaded = try await configuration.imageCoalescer.value(
            for: job, waiter: waiting.id, priority: priority, onJoin: waiting.onJoin, onProgress: waiting.onProgress
        ) { work in
            try await self.working(on: job.image.source) { _ in
                var made = try await self.makeImage(job, for: request, keeps: keeps, work, events)
                made.maker = waiting.id
                return made
            }
        }
        if loaded.maker != waiting.id, loaded.source == .network, let bytes = loaded.encodedByteCount {
            events.send(.joined(bytes: bytes))
        }
        return loaded
    }

    /// Finds or makes a picture, and keeps it: the work that requests share.
    private func makeImage(
        _ job: ImageJobKey, for request: ImageRequest, keeps: Bool, _ work: any SharedWork, _ events: EventSink
    ) async throws -> LoadedImage {
        // Work for the same key may have ended between this request's look-up and its join.
        if job.readsMemory, let image = configuration.memoryCache?.image(for: job.image) {
            events.send(.memoryHit)
            var loaded = LoadedImage(image: image, source: .memory, encodedByteCount: nil)
            loaded.isInMemory = true
            return loaded
        }
        guard request.processors.isEmpty else {
            var loaded = try await processedImage(job, for: request, work, events)
            loaded.isInMemory = keeps && keep(loaded, for: job.image, job.route)
            return loaded
        }
        var (loaded, route) = try await decodedImage(job, for: request, work, events)
        loaded.isInMemory = keeps && keep(loaded, for: job.image, route)
        return loaded
    }

    /// Decoded at its size, by work of its own that other requests share, then processed.
    private func processedImage(
        _ job: ImageJobKey, for request: ImageRequest, _ work: any SharedWork, _ events: EventSink
    ) async throws -> LoadedImage {
        var plain = request
        plain.processors = []
        let processors = request.processors
        let report = ProgressReporter(work)
        let previews = processedPreviews(job.image, processors, work, report)
        defer { previews.close() }
        let waiting = link(work) { progress in
            if let preview = progress.preview { previews.offer(preview) }
            report.progressed(progress.withoutPreview)
        }
        var loaded = try await working(on: job.image.source) { [plain] reloadCount in
            let base = ImageJobKey(plain, image: plain.cacheKey, reloadCount: reloadCount)
            return try await join(base, for: plain, waiting, work.priority, keeps: false, events)
        }
        previews.close()
        loaded.image = try await configuration.scheduler.perform(in: .decode, for: work) { [image = loaded.image] in
            try image.processed(by: processors, isCancelled: $0)
        }
        return loaded
    }

    private func processedPreviews(
        _ key: ImageCacheKey, _ processors: [any ImageProcessor], _ work: any SharedWork, _ report: ProgressReporter
    ) -> ProcessedPreviews {
        ProcessedPreviews(processors, configuration.scheduler) {
            work.priority
        } isWanted: {
            self.previewWishes.withLock { $0.contains(key) }
        } show: {
            report.previewed($0)
        }
    }

    /// One piece of shared work as the waiter for another, which keeps to its priority.
    private func link(_ work: any SharedWork, onProgress: @escaping @Sendable (WorkProgress) -> Void) -> Waiting {
        let id = WaiterID(rawValue: newID())
        let coalescer = configuration.imageCoalescer
        return Waiting(
            id: id, onJoin: { work.onPriorityChange { coalescer.setPriority($0, of: id) } }, onProgress: onProgress)
    }

    // MARK: Memory

    /// Keeps a picture in memory unless a reload has brought a newer one, before or meanwhile, or nobody would ask again although it is
    /// out of date. True when it was handed over.
    private func keep(_ loaded: LoadedImage, for key: ImageCacheKey, _ route: FetchRoute) -> Bool {
        guard loaded.source != .stale, let cache = configuration.memoryCache, isCurrent(route, of: key.source) else {
            return false
        }
        cache.insert(loaded.image, for: key)
        sizes.withLock { $0.inserted(key) }
        guard isCurrent(route, of: key.source) else {
            cache.remove(for: key)
            return false
        }
        return true
    }

    /// What memory has for a request: the picture itself, or a larger one where that will do.
    func pictureInMemory(_ key: ImageCacheKey, for request: ImageRequest) -> DecodedImage? {
        guard request.readsMemory, let cache = configuration.memoryCache else { return nil }
        if let image = cache.image(for: key) { return image }
        guard request.acceptsLarger, let target = request.target else { return nil }
        for candidate in sizes.withLock({ $0.candidates(for: key) }) {
            if let image = cache.image(for: candidate), image.covers(target) { return image }
        }
        return nil
    }
}

extension ImageRequest {
    /// The pictures of which previews must be made for this request: itself, and what its steps begin with.
    fileprivate func previewWishes(_ key: ImageCacheKey) -> [ImageCacheKey] {
        guard isProgressive else { return [] }
        return processors.isEmpty ? [key] : [key, ImageCacheKey(source: key.source, target: target)]
    }
}

extension WorkProgress {
    var withoutPreview: WorkProgress { WorkProgress(completedBytes: completedBytes, totalBytes: totalBytes) }
}
