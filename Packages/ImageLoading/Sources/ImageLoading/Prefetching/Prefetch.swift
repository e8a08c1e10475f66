import ImageCore

/// A request of a prefetcher, adapted to its destination. Its key identifies duplicates.
struct Prefetch: Sendable {
    enum Key: Hashable, Sendable {
        case image(ImageJobKey), original(DataJobKey)
    }

    let request: ImageRequest
    let key: Key

    /// Returns nil if nothing would be stored in the destination.
    init?(_ request: ImageRequest, to destination: ImagePrefetcher.Destination) {
        var request = request
        request.priority = min(request.priority, .low)
        request.isProgressive = false
        let route = FetchRoute(request)
        switch destination {
        case .memory, .decoded:
            guard request.cachePolicy.memory.writes else { return nil }
            if destination == .decoded { request.processors = [] }
            key = .image(ImageJobKey(image: request.cacheKey, route: route, readsMemory: request.readsMemory))
        case .disk:
            // Local originals are not stored.
            guard !request.original.isLocal, request.cachePolicy.disk.writes else { return nil }
            key = .original(DataJobKey(original: request.original, route: route))
        }
        self.request = request
    }
}

extension ImageLoader {
    /// Loads an image into its destination. Only the observer receives errors.
    func run(_ prefetch: Prefetch) async {
        switch prefetch.key {
        case .image: _ = try? await image(for: prefetch.request)
        case .original:
            // Nothing would be stored.
            if case .fetch = prefetch.request.origin, configuration.fetchedOriginals == nil { return }
            if await !hasStored(prefetch.request) { _ = try? await data(for: prefetch.request) }
        }
    }
}
