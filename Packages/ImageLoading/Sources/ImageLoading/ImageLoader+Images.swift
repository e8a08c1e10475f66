import ImageCore
import Synchronization

/// Goes on with shared work in a task.
typealias Proceed<Value> = @Sendable (@escaping @Sendable () async throws -> Value) -> Void

extension ImageLoader {
    /// Joins or begins the work for one picture.
    func join(_ wait: PictureWait) -> any SharedWorkPlace {
        configuration.imageCoalescer.join(wait.job, as: wait, priority: wait.priority) { begin(wait, $0, $1) }
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
        loaded.maker = wait.load.id
        return loaded
    }

    /// Keeps a picture if somebody asked for it.
    func kept(_ loaded: LoadedImage, for wait: PictureWait) -> LoadedImage {
        var loaded = loaded
        loaded.isInMemory = wait.keeps && keep(loaded, for: wait)
        loaded.maker = wait.load.id
        return loaded
    }

    /// Decoded at its size, by work of its own that other requests share, then processed.
    private func beginProcessing(
        for wait: PictureWait, _ work: any SharedWork, _ proceed: @escaping Proceed<LoadedImage>
    ) -> @Sendable () -> Void {
        let report = ProgressReporter(work)
        let previews = processedPreviews(wait.job.image, wait.load.request.processors, work, report)
        let processing = Processing(wait, work, report, previews, proceed)
        let place = join(unprocessed(wait.load, for: processing, work.priority))
        follow(work, from: place)
        return { place.leave() }
    }

    fileprivate nonisolated(nonsending) func processed(
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

    private func unprocessed(
        _ load: Load, for waiter: any PictureWaiter, _ priority: RequestPriority
    ) -> PictureWait {
        var plain = load.request
        plain.processors = []
        plain.isProgressive = false
        return PictureWait(
            plain, plain.cacheKey, Load(plain, inPlaceOf: load), for: waiter, priority, keeps: false)
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
    func follow(_ work: any SharedWork, from place: any SharedWorkPlace) {
        work.onPriorityChange { place.setPriority($0) }
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
        loaded.isRenewed || isCurrent(wait.load)
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

/// Processes a picture as soon as it is there as it was decoded.
private final class Processing: PictureWaiter {
    private let wait: PictureWait
    private let work: any SharedWork
    private let report: ProgressReporter
    private let previews: ProcessedPreviews
    private let proceed: Proceed<LoadedImage>

    init(
        _ wait: PictureWait, _ work: any SharedWork, _ report: ProgressReporter, _ previews: ProcessedPreviews,
        _ proceed: @escaping Proceed<LoadedImage>
    ) {
        self.wait = wait
        self.work = work
        self.report = report
        self.previews = previews
        self.proceed = proceed
    }

    func progressed(_ progress: WorkProgress) {
        if let preview = progress.preview { previews.offer(preview) }
        report.progressed(progress.withoutPreview)
    }

    func succeeded(with loaded: LoadedImage, of base: PictureWait) {
        previews.close()
        base.ended(with: loaded)
        proceed { [wait, work] in
            let loader = wait.load.loader
            return loader.kept(try await loader.processed(loaded, for: wait, work), for: wait)
        }
    }

    func failed(with error: any Error, of base: PictureWait) {
        previews.close()
        base.ended(with: nil)
        proceed { throw error }
    }
}

extension WorkProgress {
    var withoutPreview: WorkProgress { WorkProgress(completedBytes: completedBytes, totalBytes: totalBytes) }
}
