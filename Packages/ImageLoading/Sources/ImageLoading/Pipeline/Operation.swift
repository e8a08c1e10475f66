package import ImageCore
import ImageTransporting

/// Identifies an operation of a loader. Requests with equal keys share it.
public struct OperationKey: Hashable, Sendable {
    /// Indirect, because many requests that wait have a key each.
    package indirect enum Product: Hashable, Sendable {
        /// An image. Requests that can't read it from memory have an operation of their own.
        case image(ImageCacheKey, readsMemory: Bool)
        /// The encoded bytes, for images of any size.
        case original(OriginalKey)
        /// A frame of an animation that is shown.
        case frame(ObjectIdentifier, Int)
    }

    package let product: Product
    private let cacheUse: CacheUse
    /// That of the original when the request started. Prevents it from joining older operations.
    private let generation: UInt64

    init(_ product: Product, _ cacheUse: CacheUse, generation: UInt64 = 0) {
        self.product = product
        self.cacheUse = cacheUse
        self.generation = generation
    }

    /// Hashes the product only, because requests for one product rarely differ in the rest.
    public func hash(into hasher: inout Hasher) { hasher.combine(product) }
}

/// The result of an operation of a loader.
public struct OperationResult: Sendable {
    /// An `ImageResult` or an `OriginalResult`; nil for a frame.
    fileprivate let value: (any AnyObject & Sendable)?
}

/// An image that requests share. All of them refer to one object, because many can wait for it.
final class ImageResult: Sendable {
    let loaded: LoadedImage
    /// The request that started the operation.
    let requestID: UInt64
    /// When the original's bytes were asked for. See `OriginalGenerations`.
    let start: UInt64
    /// Whether the disk cache has the original.
    let isStored: Bool
    /// Whether the image is in the memory cache.
    let isInMemory: Bool
    /// The original, if it is an animation that was decoded for this result.
    let animated: Data?

    init(
        _ loaded: LoadedImage, requestID: UInt64, start: UInt64, isStored: Bool, isInMemory: Bool, animated: Data?
    ) {
        self.loaded = loaded
        self.requestID = requestID
        self.start = start
        self.isStored = isStored
        self.isInMemory = isInMemory
        self.animated = animated
    }
}

/// An original that requests share, also as one object.
final class OriginalResult: Sendable {
    let loaded: LoadedData
    /// The request that started the operation.
    let requestID: UInt64
    /// When the bytes were asked for. See `OriginalGenerations`.
    let start: UInt64
    /// Whether the disk cache has the bytes.
    let isStored: Bool
    /// The redirects that lead to the bytes, and the head of their response. Empty for those of a fetch.
    let heads: [ResponseHead]

    init(_ loaded: LoadedData, requestID: UInt64, start: UInt64, isStored: Bool, _ heads: [ResponseHead]) {
        self.loaded = loaded
        self.requestID = requestID
        self.start = start
        self.isStored = isStored
        self.heads = heads
    }
}

extension ImageLoader {
    /// Returns the result of an operation that requests with this key share.
    func shared<Value: AnyObject & Sendable>(
        _ key: OperationKey, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void,
        _ operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        let result = try await configuration.coalescer.value(for: key, priority: priority, onProgress: onProgress) {
            OperationResult(value: try await operation($0))
        }
        guard let value = result.value as? Value else {
            throw ImageError.network(.other, "the coalescer returned the result of another key")
        }
        return value
    }

    /// Runs work in the decode lane, once for all callers with the same key.
    func decodeOnce(
        _ key: OperationKey, _ priority: LivePriority, _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let scheduler = configuration.scheduler
        _ = try await configuration.coalescer.value(for: key, priority: priority, onProgress: { _ in }) { shared in
            try await scheduler.run(in: .decode, server: nil, priority: shared.priority, work)
            return OperationResult(value: nil)
        }
    }
}

extension CacheUse {
    /// The use of the disk cache by a request. Local originals are not stored.
    init(_ request: ImageRequest) {
        let isLocal = request.origin.isLocal
        self.init(
            isLocal && request.mode == .onlyIfCached ? .standard : request.mode,
            access: isLocal ? .disabled : request.cachePolicy.disk)
    }

    /// Whether the request never uses the network.
    var isCacheOnly: Bool { mode == .onlyIfCached }

    /// Whether the disk cache can answer without the network.
    var answersAlone: Bool { access.reads && !asksServer }
}
