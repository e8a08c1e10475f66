public import ImageCore
import ImageTransporting

/// What two requests must have in common to share a download: the same original, looked for in the same places.
public struct DataJobKey: Hashable, Sendable {
    let original: Original
    public let route: FetchRoute

    public var source: String { original.source }

    /// Few differ in the rest alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(original) }

    /// The hash that the original carries: no work.
    public var hashValue: Int { original.hashValue }
}

/// What two requests must have in common to share a picture: the same original at the same size with the same steps.
public struct ImageJobKey: Hashable, Sendable {
    public let image: ImageCacheKey
    public let route: FetchRoute
    /// Whether memory may answer.
    public let readsMemory: Bool

    init(_ image: ImageCacheKey, _ route: FetchRoute, readsMemory: Bool) {
        self.image = image
        self.route = route
        self.readsMemory = readsMemory
    }

    /// Few differ in the rest alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(image) }

    /// The hash that the picture's key carries: no work.
    public var hashValue: Int { image.hashValue }
}

/// Where the bytes of an original may come from, and whether they are kept on disk.
public struct FetchRoute: Hashable, Sendable {
    public let disk: CacheAccess
    public let mode: ImageLoadMode
    /// The last reload of the original, so that nobody joins work that is older.
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

    /// What the transport's cache is to do when there is nothing to answer without it.
    var cacheUse: CacheUse {
        switch disk {
        case .readWrite: reloads ? .reload : .standard
        case .writeOnly: .reload
        case .readOnly, .none: .bypass
        }
    }

    /// True when what is stored may answer alone.
    var readsDisk: Bool { disk.reads && mode.acceptsMemory }
}

extension ImageRequest {
    var jobKey: ImageJobKey { ImageJobKey(cacheKey, FetchRoute(self), readsMemory: readsMemory) }
}
