public import ImageCore
import ImageTransporting

/// Identifies the download of an original. Requests with equal keys share it.
public struct DataJobKey: Hashable, Sendable {
    let original: Original
    /// The use of the disk cache and the network.
    public let route: FetchRoute

    /// Identifies the original.
    public var source: String { original.source }

    /// Hashes the original only, because requests for one original rarely differ in the rest.
    public func hash(into hasher: inout Hasher) { hasher.combine(original) }
}

/// Identifies the creation of an image. Requests with equal keys share it.
public struct ImageJobKey: Hashable, Sendable {
    /// The key of the image in the memory cache.
    public let image: ImageCacheKey
    /// The use of the disk cache and the network.
    public let route: FetchRoute
    /// Whether the memory cache can be used.
    public let readsMemory: Bool

    /// Hashes the image only, because requests for one image rarely differ in the rest.
    public func hash(into hasher: inout Hasher) { hasher.combine(image) }
}

/// An original that requests share.
public struct DataJobResult: Sendable {
    let loaded: LoadedData
    /// The request that started the download.
    let requestID: UInt64
    /// The number of the original's last reload when its bytes were requested, or of the reload that received them.
    let lastReload: UInt64
}

/// An image that requests share.
public struct ImageJobResult: Sendable {
    var loaded: LoadedImage
    /// The request that started the work.
    var requestID: UInt64
    /// The number of the original's last reload. See `DataJobResult`.
    let lastReload: UInt64
    /// Whether the image is in the memory cache.
    var isInMemory = false
}

/// The use of the disk cache and the network by a request for an original.
public struct FetchRoute: Hashable, Sendable {
    /// Access to the disk cache.
    public let disk: CacheAccess
    /// The stored data that can be used.
    public let mode: ImageLoadMode
    /// The number of the original's last reload. It prevents requests from joining older work.
    let lastReload: UInt64

    init(_ request: ImageRequest) { self.init(request, request.original, lastReload: 0) }

    init(_ request: ImageRequest, _ original: Original, lastReload: UInt64) {
        self.lastReload = lastReload
        let isLocal = original.isLocal
        disk = isLocal ? .none : request.cachePolicy.disk
        mode = isLocal && request.mode == .onlyIfCached ? .standard : request.mode
    }

    var isOffline: Bool { mode == .onlyIfCached }

    /// The use of the transport cache by a request that needs the network.
    var cacheUse: CacheUse {
        switch disk {
        case .readWrite: mode == .reload ? .reload : .standard
        case .writeOnly: .reload
        case .readOnly, .none: .bypass
        }
    }

    /// Whether the disk cache can be used without the network.
    var readsDisk: Bool { disk.reads && !mode.asksOrigin }
}
