import ImageCore

/// Says that it has cancelled work, and lets it wait on.
final class DeafScheduler: WorkScheduler {
    private let base: any WorkScheduler

    init(base: any WorkScheduler) { self.base = base }

    func enqueue(_ work: ScheduledWork) -> WorkID { base.enqueue(work) }
    func setPriority(_ priority: RequestPriority, of id: WorkID) { base.setPriority(priority, of: id) }
    func cancel(_ id: WorkID) -> Bool { true }
}

/// Finds pictures as if nothing had been done to them.
struct ForgetfulCache: ImageCache {
    let base: any ImageCache

    func image(for key: ImageCacheKey) -> DecodedImage? { base.image(for: key.withoutSteps) }
    func insert(_ image: DecodedImage, for key: ImageCacheKey) { base.insert(image, for: key.withoutSteps) }
    func remove(for key: ImageCacheKey) { base.remove(for: key.withoutSteps) }
    func removeAll() { base.removeAll() }
}

extension ImageCacheKey {
    fileprivate var withoutSteps: ImageCacheKey { ImageCacheKey(source: source, target: target) }
}
