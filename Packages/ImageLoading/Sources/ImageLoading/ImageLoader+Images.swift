import ImageCore
import Synchronization

/// Work on a picture that requests share. It has a task when what the picture is made of is there.
struct PictureWork: Sendable {
    /// That of the request for which it began.
    let load: Load
    /// What it knows of those who wait.
    let waiters: any SharedWork
    let report: ProgressReporter
    /// Goes on with it in a task.
    let proceed: @Sendable (@escaping @Sendable () async throws -> LoadedImage) -> Void

    /// Keeps whoever waits for other shared work at the priority of this.
    func follow(from place: any SharedWorkPlace) { waiters.onPriorityChange { place.setPriority($0) } }
}

extension ImageLoader {
    /// Joins or begins the work for one picture.
    func join(
        _ load: Load, as waiter: any SharedWorkWaiter<LoadedImage>, _ priority: RequestPriority
    ) -> any SharedWorkPlace {
        configuration.imageCoalescer.join(load.job, as: waiter, priority: priority) { waiters, proceed in
            begin(PictureWork(load: load, waiters: waiters, report: ProgressReporter(waiters), proceed: proceed))
        }
    }

    /// Finds or makes a picture, and keeps it.
    private func begin(_ work: PictureWork) -> @Sendable () -> Void {
        // Work for the same key may have ended between this request's look-up and its join.
        if let hit = lateHit(work.load) {
            work.proceed { hit }
            return {}
        }
        return work.load.request.processors.isEmpty ? beginDecoding(work) : beginProcessing(work)
    }

    private func lateHit(_ load: Load) -> LoadedImage? {
        guard load.request.readsMemory, let image = configuration.memoryCache?.image(for: load.key) else { return nil }
        load.send(.memoryHit)
        var loaded = LoadedImage(image: image, source: .memory, encodedByteCount: nil)
        loaded.isInMemory = true
        loaded.maker = load.id
        return loaded
    }

    /// Keeps a picture if somebody asked for it.
    func kept(_ loaded: LoadedImage, for load: Load) -> LoadedImage {
        var loaded = loaded
        loaded.isInMemory = load.request.cachePolicy.memory.writes && keep(loaded, for: load)
        loaded.maker = load.id
        return loaded
    }

    /// Decoded at its size, by work of its own that other requests share, then processed.
    private func beginProcessing(_ work: PictureWork) -> @Sendable () -> Void {
        let base = unprocessed(work.load)
        let processing = Processing(work, base, processedPreviews(work))
        let place = join(base, as: processing, work.waiters.priority)
        work.follow(from: place)
        return { place.leave() }
    }

    fileprivate nonisolated(nonsending) func processed(
        _ base: LoadedImage, _ work: PictureWork
    ) async throws -> LoadedImage {
        var loaded = base
        let load = work.load
        load.tell(.queued(.decode))
        loaded.image = try await lanes.perform(in: .decode, for: work.waiters) {
            try base.image.processed(by: load.request.processors, isCancelled: $0)
        }
        load.tell(.processed)
        return loaded
    }

    private func unprocessed(_ load: Load) -> Load {
        var plain = load.request
        plain.processors = []
        plain.isProgressive = false
        plain.cachePolicy.memory = plain.cachePolicy.memory.reads ? .readOnly : .none
        return Load(plain, inPlaceOf: load)
    }

    private func processedPreviews(_ work: PictureWork) -> ProcessedPreviews {
        ProcessedPreviews(work.load.request.processors, configuration.scheduler) { [waiters = work.waiters] in
            waiters.priority
        } isWanted: { [key = work.load.key] in
            self.previewWishes.withLock { $0.contains(key) }
        } show: { [report = work.report] in
            report.previewed($0)
        }
    }

    // MARK: Memory

    /// Keeps a picture in memory unless a reload has brought a newer one, before or meanwhile, or nobody would ask again although it is
    /// out of date. True when it was handed over.
    func keep(_ loaded: LoadedImage, for load: Load) -> Bool {
        let key = load.key
        guard loaded.source != .stale, let cache = configuration.memoryCache, isCurrent(loaded, load) else {
            return false
        }
        cache.insert(loaded.image, for: key)
        sizes.withLock { $0.inserted(key) }
        guard isCurrent(loaded, load) else {
            cache.remove(for: key)
            return false
        }
        load.tell(.keptInMemory)
        return true
    }

    /// A picture of an original that was fetched anew on the way is as current as if a reload had been asked for.
    private func isCurrent(_ loaded: LoadedImage, _ load: Load) -> Bool {
        loaded.isRenewed || isCurrent(load)
    }

    /// Why memory has nothing for a request. What was kept there lately is looked up for observers alone.
    func memoryMiss(of key: ImageCacheKey, for load: Load) -> CacheMiss {
        if !hasMemoryCache { return .noCache }
        if !load.request.readsMemory { return .policy }
        return isObserved ? sizes.withLock { $0.miss(of: key) } : .absent
    }

    /// What memory has for a request: the picture itself, or a larger one where that will do.
    func pictureInMemory(_ key: ImageCacheKey, for request: ImageRequest) -> DecodedImage? {
        guard hasMemoryCache, request.readsMemory, let cache = configuration.memoryCache else { return nil }
        if let image = cache.image(for: key) { return image }
        guard request.acceptsLarger, let target = request.target else { return nil }
        for candidate in sizes.withLock({ $0.candidates(for: key) }) {
            if let image = cache.image(for: candidate), image.covers(target) { return image }
        }
        return nil
    }
}

/// Processes a picture as soon as it is there as it was decoded.
private final class Processing: SharedWorkWaiter {
    private let work: PictureWork
    private let base: Load
    private let previews: ProcessedPreviews

    init(_ work: PictureWork, _ base: Load, _ previews: ProcessedPreviews) {
        self.work = work
        self.base = base
        self.previews = previews
    }

    func progressed(_ progress: WorkProgress) {
        if let preview = progress.preview { previews.offer(preview) }
        work.report.progressed(progress.withoutPreview)
    }

    func succeeded(with loaded: LoadedImage) {
        previews.close()
        base.endedWait(with: loaded)
        work.proceed { [work] in
            let loader = work.load.loader
            return loader.kept(try await loader.processed(loaded, work), for: work.load)
        }
    }

    func failed(with error: any Error) {
        previews.close()
        base.endedWait(with: nil)
        work.proceed { throw error }
    }
}

extension WorkProgress {
    var withoutPreview: WorkProgress { WorkProgress(completedBytes: completedBytes, totalBytes: totalBytes) }
}
