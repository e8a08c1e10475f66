public import ImageCore
import Synchronization

/// A cache of decoded images for tests: a dictionary that keeps the budget and logs what it was told.
///
/// What was inserted first goes first when space is needed; looking at an image does not keep it.
public final class InMemoryImageCache: ImageCache {
    /// One call, as it came.
    public enum Message: Hashable, Sendable {
        case image(ImageCacheKey)
        case insert(ImageCacheKey, byteCount: Int)
        case remove(ImageCacheKey)
        case removeAll
        case trim(toShare: Double)
    }

    private struct State {
        var images: [ImageCacheKey: DecodedImage] = [:]
        /// The keys, the first inserted first.
        var order: [ImageCacheKey] = []
        var messages: [Message] = []

        var totalCost: Int { images.values.reduce(0) { $0 + $1.byteCount } }

        /// Drops what was inserted first until the rest costs so much at most.
        mutating func trim(to cost: Int) {
            while totalCost > cost { remove(order[0]) }
        }

        mutating func remove(_ key: ImageCacheKey) {
            images[key] = nil
            order.removeAll { $0 == key }
        }
    }

    private let byteLimit: Int
    private let state = Mutex(State())

    public init(byteLimit: Int = .max) { self.byteLimit = byteLimit }

    /// All calls so far, in order.
    public var messages: [Message] { state.withLock { $0.messages } }

    /// What is kept now. Looking here is not logged.
    public var images: [ImageCacheKey: DecodedImage] { state.withLock { $0.images } }

    public var byteCount: Int? { state.withLock { $0.totalCost } }

    public func image(for key: ImageCacheKey) -> DecodedImage? {
        state.withLock { state in
            state.messages.append(.image(key))
            return state.images[key]
        }
    }

    public func insert(_ image: DecodedImage, for key: ImageCacheKey) {
        state.withLock { state in
            state.messages.append(.insert(key, byteCount: image.byteCount))
            state.remove(key)
            guard image.byteCount <= byteLimit else { return }
            state.trim(to: byteLimit - image.byteCount)
            state.images[key] = image
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
            state.order = []
        }
    }

    public func trim(toShare share: Double) {
        state.withLock { state in
            state.messages.append(.trim(toShare: share))
            state.trim(to: Int(Double(state.totalCost) * share))
        }
    }
}
