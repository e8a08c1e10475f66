public import ImageCore
import ImageTransporting

/// Identifies the download of an original. Requests with equal keys share it.
public struct DataJobKey: Hashable, Sendable {
    let original: Original
    public let route: FetchRoute

    public var source: String { original.source }
}

/// Identifies the making of an image. Requests with equal keys share it.
public struct ImageJobKey: Hashable, Sendable {
    public let image: ImageCacheKey
    public let route: FetchRoute
    /// Whether the memory cache may answer.
    public let readsMemory: Bool
}

/// An original, as requests share it.
public struct DataJobResult: Sendable {
    let loaded: LoadedData
    /// The request that started the download.
    let requestID: UInt64
}

/// An image, as requests share it.
public struct ImageJobResult: Sendable {
    var loaded: LoadedImage
    /// The request that started the work.
    var requestID: UInt64
    /// Whether the image is in the memory cache.
    var isInMemory = false
    /// Whether the original was downloaded again because the stored one could not be decoded. Then it is current like a reload's.
    var isRenewed = false
}

/// Where the bytes of an original may come from, and whether they are stored on disk.
public struct FetchRoute: Hashable, Sendable {
    public let disk: CacheAccess
    public let mode: ImageLoadMode
    /// The number of the original's last reload, so that no request joins older work.
    let lastReload: UInt64

    init(_ request: ImageRequest) { self.init(request, request.original, lastReload: 0) }

    init(_ request: ImageRequest, _ original: Original, lastReload: UInt64) {
        self.lastReload = lastReload
        let isLocal = original.isLocal
        disk = isLocal ? .none : request.cachePolicy.disk
        mode = isLocal && request.mode == .onlyIfCached ? .standard : request.mode
    }

    var reloads: Bool { mode == .reload }
    var isOffline: Bool { mode == .onlyIfCached }

    /// How the transport's cache is used for a request that needs the network.
    var cacheUse: CacheUse {
        switch disk {
        case .readWrite: reloads ? .reload : .standard
        case .writeOnly: .reload
        case .readOnly, .none: .bypass
        }
    }

    /// Whether the disk cache may answer without the network.
    var readsDisk: Bool { disk.reads && mode.acceptsMemory }
}

extension ImageRequest {
    var jobKey: ImageJobKey { ImageJobKey(image: cacheKey, route: FetchRoute(self), readsMemory: readsMemory) }
}
