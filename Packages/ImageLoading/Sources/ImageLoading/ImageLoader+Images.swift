import ImageCore
import Synchronization

extension ImageLoader {
    /// Joins or starts the work for one picture.
    func answer(to wait: PictureWait) async throws -> LoadedImage {
        try await configuration.imageCoalescer.value(
            for: wait.job, waiter: wait.waiting.id, priority: wait.priority, onJoin: wait.waiting.onJoin,
            onProgress: wait.waiting.onProgress
        ) { try await self.makeImage(for: wait, $0) }
    }

    /// The same without a task: `onAnswer` is called once. Returns what makes it leave.
    func join(
        _ wait: PictureWait, onAnswer: @escaping @Sendable (Result<LoadedImage, any Error>) -> Void
    ) -> @Sendable () -> Void {
        configuration.imageCoalescer.join(
            wait.job, as: wait.waiting.id, priority: wait.priority, onJoin: wait.waiting.onJoin,
            onProgress: wait.waiting.onProgress, onAnswer: onAnswer
        ) { try await self.makeImage(for: wait, $0) }
    }

    /// Finds or makes a picture, and keeps it: the work that requests share.
    private func makeImage(for wait: PictureWait, _ work: any SharedWork) async throws -> LoadedImage {
        let load = wait.load
        _ = workBegan(on: load.original)
        defer { workEnded(on: load.original) }
        // Work for the same key may have ended between this request's look-up and its join.
        if let hit = lateHit(wait) { return hit }
        let loaded =
            load.request.processors.isEmpty
            ? try await decodedImage(for: wait, work) : try await processedImage(for: wait, work)
        return kept(loaded, for: wait)
    }

    private func lateHit(_ wait: PictureWait) -> LoadedImage? {
        guard wait.job.readsMemory, let image = configuration.memoryCache?.image(for: wait.job.image) else {
            return nil
        }
        wait.load.send(.memoryHit)
        var loaded = LoadedImage(image: image, source: .memory, encodedByteCount: nil)
        loaded.isInMemory = true
        loaded.maker = wait.waiting.id
        return loaded
    }

    private func kept(_ loaded: LoadedImage, for wait: PictureWait) -> LoadedImage {
        var loaded = loaded
        loaded.isInMemory = wait.keeps && keep(loaded, for: wait)
        loaded.maker = wait.waiting.id
        return loaded
    }

    /// Decoded at its size, by work of its own that other requests share, then processed.
    private func processedImage(
        for wait: PictureWait, _ work: any SharedWork
    ) async throws -> LoadedImage {
        let processors = wait.load.request.processors
        let report = ProgressReporter(work)
        let previews = processedPreviews(wait.job.image, processors, work, report)
        defer { previews.close() }
        let waiting = link(work, to: configuration.imageCoalescer) { progress in
            if let preview = progress.preview { previews.offer(preview) }
            report.progressed(progress.withoutPreview)
        }
        var loaded = try await unprocessedImage(for: wait.load, waiting, work.priority)
        previews.close()
        wait.load.tell(.queued(.decode))
        loaded.image = try await lanes.perform(in: .decode, for: work) { [image = loaded.image] in
            try image.processed(by: processors, isCancelled: $0)
        }
        wait.load.tell(.processed)
        return loaded
    }

    private func unprocessedImage(
        for load: Load, _ waiting: Waiting, _ priority: RequestPriority
    ) async throws -> LoadedImage {
        var plain = load.request
        plain.processors = []
        plain.isProgressive = false
        let base = Load(plain, inPlaceOf: load)
        let wait = PictureWait(plain.cacheKey, base, waiting, priority, keeps: false)
        do {
            let loaded = try await answer(to: wait)
            wait.ended(with: loaded)
            return loaded
        } catch {
            wait.ended(with: nil)
            throw error
        }
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
    func link(
        _ work: any SharedWork, to coalescer: any RequestCoalescer,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) -> Waiting {
        let id = newWaiter()
        return Waiting(
            id: id, onJoin: { work.onPriorityChange { coalescer.setPriority($0, of: id) } }, onProgress: onProgress)
    }

    // MARK: Memory

    /// Keeps a picture in memory unless a reload has brought a newer one, before or meanwhile, or nobody would ask again although it is
    /// out of date. True when it was handed over.
    func keep(_ loaded: LoadedImage, for wait: PictureWait) -> Bool {
        let key = wait.job.image
        guard loaded.source != .stale, let cache = configuration.memoryCache, isCurrent(loaded, wait) else {
            return false
        }
        cache.insert(loaded.image, for: key)
        sizes.withLock { $0.inserted(key) }
        guard isCurrent(loaded, wait) else {
            cache.remove(for: key)
            return false
        }
        wait.load.tell(.keptInMemory)
        return true
    }

    /// A picture of an original that was fetched anew on the way is as current as if a reload had been asked for.
    private func isCurrent(_ loaded: LoadedImage, _ wait: PictureWait) -> Bool {
        loaded.isRenewed || isCurrent(wait.job.route, of: wait.load.original)
    }

    /// Why memory has nothing for a request. What was kept there lately is looked up for observers alone.
    func memoryMiss(of key: ImageCacheKey, for load: Load) -> CacheMiss {
        if configuration.memoryCache == nil { return .noCache }
        if !load.request.readsMemory { return .policy }
        return isObserved ? sizes.withLock { $0.miss(of: key) } : .absent
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

extension WorkProgress {
    var withoutPreview: WorkProgress { WorkProgress(completedBytes: completedBytes, totalBytes: totalBytes) }
}
