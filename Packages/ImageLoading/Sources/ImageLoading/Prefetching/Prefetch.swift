import ImageCore

/// One picture to be brought ahead of need: a request, made to fit the destination, and what tells duplicates.
struct Prefetch: Sendable {
    enum Key: Hashable, Sendable {
        case picture(ImageJobKey), original(DataJobKey)
    }

    let request: ImageRequest
    let key: Key

    /// Nil when nothing would be kept in the destination.
    init?(_ request: ImageRequest, to destination: ImagePrefetcher.Destination) {
        var request = request
        request.priority = min(request.priority, .low)
        request.isProgressive = false  // nobody looks
        switch destination {
        case .memory, .decoded:
            guard request.cachePolicy.memory.writes else { return nil }
            if destination == .decoded { request.processors = [] }
            key = .picture(request.jobKey)
        case .disk:
            guard request.isKeptOnDisk else { return nil }
            key = .original(DataJobKey(original: request.original, route: FetchRoute(request)))
        }
        self.request = request
    }
}

extension ImageRequest {
    /// Bytes at hand are not kept, nor is what is a file already.
    fileprivate var isKeptOnDisk: Bool { !original.isLocal && cachePolicy.disk.writes }
}

extension ImageLoader {
    /// Brings one picture to its destination. One that fails costs nothing: the observer was told, and a real request will try again.
    func carryOut(_ prefetch: Prefetch) async {
        switch prefetch.key {
        case .picture: _ = try? await image(for: prefetch.request)
        case .original:
            // Nothing would be kept.
            if case .fetch = prefetch.request.origin, configuration.fetchedOriginals == nil { return }
            if await !hasStored(prefetch.request) { _ = try? await data(for: prefetch.request) }
        }
    }
}
