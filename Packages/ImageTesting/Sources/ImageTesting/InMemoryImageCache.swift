public import ImageCore
import Synchronization

/// An image cache for tests. It respects a limit.
///
/// Of the expendable images, and then of the preferred ones, the image that was inserted first is evicted first. Lookups
/// don't change the order.
public final class InMemoryImageCache: ImageCache {
    /// A call of the cache.
    enum Message: Hashable, Sendable {
        /// A lookup.
        case image(ImageCacheKey)
        /// An insertion, with the cost of the image in bytes.
        case insert(ImageCacheKey, byteCount: Int)
        /// A removal of one image.
        case remove(ImageCacheKey)
        /// A removal of all images.
        case removeAll
        /// A removal of the images that satisfied a predicate.
        case removeAllWhere
        /// A reduction to a share of the total cost.
        case trim(toShare: Double)
    }

    private struct State {
        var images: [ImageCacheKey: DecodedImage] = [:]
        var retentions: [ImageCacheKey: MemoryRetention] = [:]
        /// The times of the last insertion or successful lookup. Empty without a clock.
        var lastUses: [ImageCacheKey: Duration] = [:]
        /// The keys in the order in which their images were inserted.
        var order: [ImageCacheKey] = []
        var messages: [Message] = []

        var totalCost: Int { images.values.reduce(0) { $0 + $1.byteCount } }

        /// Evicts images until the total cost is at most `cost`.
        mutating func trim(to cost: Int) {
            while totalCost > cost { remove(order.first { retentions[$0] == .expendable } ?? order[0]) }
        }

        mutating func remove(_ key: ImageCacheKey) {
            images[key] = nil
            retentions[key] = nil
            lastUses[key] = nil
            order.removeAll { $0 == key }
        }
    }

    private let byteLimit: Int
    private let now: @Sendable () -> Duration?
    private let state = Mutex(State())

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - byteLimit: The limit on the total cost, in bytes.
    ///   - clock: Measures how long images are unused.
    public init(byteLimit: Int = .max, clock: (any Clock<Duration>)? = nil) {
        self.byteLimit = byteLimit
        let time = clock.map(stopwatch)
        now = { time?() }
    }

    /// All calls so far, in order.
    var messages: [Message] { state.withLock { $0.messages } }

    /// The current images.
    public var images: [ImageCacheKey: DecodedImage] { state.withLock { $0.images } }

    /// The retention of each image.
    var retentions: [ImageCacheKey: MemoryRetention] { state.withLock { $0.retentions } }

    public var byteCount: Int? { state.withLock { $0.totalCost } }

    public var storesImages: Bool { byteLimit > 0 }

    public func image(for key: ImageCacheKey) -> DecodedImage? {
        let now = now()
        return state.withLock { state in
            state.messages.append(.image(key))
            if state.images[key] != nil { state.lastUses[key] = now }
            return state.images[key]
        }
    }

    public func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: MemoryRetention) {
        let now = now()
        state.withLock { state in
            state.messages.append(.insert(key, byteCount: image.byteCount))
            state.remove(key)
            guard image.byteCount <= byteLimit else { return }
            state.trim(to: byteLimit - image.byteCount)
            state.images[key] = image
            state.retentions[key] = retention
            state.lastUses[key] = now
            state.order.append(key)
        }
    }

    public func remove(for key: ImageCacheKey) {
        state.withLock { state in
            state.messages.append(.remove(key))
            state.remove(key)
        }
    }

    public func removeAll() {
        state.withLock { state in
            state.messages.append(.removeAll)
            state.images = [:]
            state.retentions = [:]
            state.order = []
        }
    }

    public func removeAll(where isUnwanted: (_ key: ImageCacheKey, _ unusedFor: Duration?) -> Bool) {
        let now = now()
        let (keys, lastUses) = state.withLock { state in
            state.messages.append(.removeAllWhere)
            return (state.order, state.lastUses)
        }
        let unwanted = keys.filter { key in
            isUnwanted(key, now.flatMap { now in lastUses[key].map { now - $0 } })
        }
        state.withLock { state in
            for key in unwanted { state.remove(key) }
        }
    }

    public func trim(toShare share: Double) {
        state.withLock { state in
            state.messages.append(.trim(toShare: share))
            state.trim(to: Int(Double(state.totalCost) * min(1, max(0, share))))
        }
    }
}
