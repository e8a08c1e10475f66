import ImageCore
import Synchronization

/// Goes on with shared work in a task.
typealias Proceed<Value> = @Sendable (@escaping @Sendable () async throws -> Value) -> Void

extension ImageLoader {
    /// Joins or begins the work for one picture: `onAnswer` is called once. Returns what makes it leave.
    func join(
        _ wait: PictureWait, onAnswer: @escaping @Sendable (Result<LoadedImage, any Error>) -> Void
    ) -> @Sendable () -> Void {
        configuration.imageCoalescer.join(
            wait.job, as: wait.waiting.id, priority: wait.priority, onProgress: wait.waiting.onProgress,
            onAnswer: onAnswer
        ) { wait.load.loader.begin(wait, $0, $1) }  // holds one thing: it costs no memory of its own
    }

    /// Finds or makes a picture, and keeps it: the work that requests share. It has a task when what the picture is made of is there.
    private func begin(
        _ wait: PictureWait, _ work: any SharedWork, _ proceed: @escaping Proceed<LoadedImage>
    ) -> @Sendable () -> Void {
        // Work for the same key may have ended between this request's look-up and its join.
        if let hit = lateHit(wait) {
            proceed { hit }
            return {}
        }
        return wait.load.request.processors.isEmpty
            ? beginDecoding(for: wait, work, proceed) : beginProcessing(for: wait, work, proceed)
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

    /// Keeps a picture if somebody asked for it.
    func kept(_ loaded: LoadedImage, for wait: PictureWait) -> LoadedImage {
        var loaded = loaded
        loaded.isInMemory = wait.keeps && keep(loaded, for: wait)
        loaded.maker = wait.waiting.id
        return loaded
    }

    /// Decoded at its size, by work of its own that other requests share, then processed.
    private func beginProcessing(
        for wait: PictureWait, _ work: any SharedWork, _ proceed: @escaping Proceed<LoadedImage>
    ) -> @Sendable () -> Void {
        let report = ProgressReporter(work)
        let previews = processedPreviews(wait.job.image, wait.load.request.processors, work, report)
        let waiting = Waiting(id: newWaiter()) { progress in
            if let preview = progress.preview { previews.offer(preview) }
            report.progressed(progress.withoutPreview)
        }
        let base = unprocessed(wait.load, waiting, work.priority)
        let leave = join(base) { answer in
            previews.close()
            base.ended(with: try? answer.get())
            proceed { self.kept(try await self.processed(try answer.get(), for: wait, work), for: wait) }
        }
        follow(work, with: waiting.id, in: configuration.imageCoalescer)
        return leave
    }

    private func processed(
        _ base: LoadedImage, for wait: PictureWait, _ work: any SharedWork
    ) async throws -> LoadedImage {
        var loaded = base
        wait.load.tell(.queued(.decode))
        loaded.image = try await lanes.perform(in: .decode, for: work) {
            try base.image.processed(by: wait.load.request.processors, isCancelled: $0)
        }
        wait.load.tell(.processed)
        return loaded
    }

    private func unprocessed(_ load: Load, _ waiting: Waiting, _ priority: RequestPriority) -> PictureWait {
        var plain = load.request
        plain.processors = []
        plain.isProgressive = false
        return PictureWait(plain.cacheKey, Load(plain, inPlaceOf: load), waiting, priority, keeps: false)
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

    /// Keeps one who waits for other shared work at the priority of the work for which it waits.
    func follow(_ work: any SharedWork, with waiter: WaiterID, in coalescer: any RequestCoalescer) {
        work.onPriorityChange { coalescer.setPriority($0, of: waiter) }
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
