import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageLoader {
    /// Joins or starts the work for one picture at one size.
    func sharedImage(
        _ key: ImageCacheKey, for request: ImageRequest, _ waiting: Waiting, _ events: EventSink
    ) async throws(ImageError) -> LoadedImage {
        do {
            return try await working(on: key.source) { reloadCount in
                let job = ImageJobKey(request, image: key, reloadCount: reloadCount)
                return try await configuration.imageCoalescer.value(
                    for: job, waiter: waiting.id, priority: request.priority, onJoin: waiting.onJoin,
                    onProgress: waiting.onProgress
                ) { work in
                    try await self.working(on: key.source) { _ in
                        try await self.makeImage(job, for: request, work, events)
                    }
                }
            }
        } catch {
            throw ImageError(error)
        }
    }

    /// Fetches, decodes, processes and keeps a picture: the work that requests share.
    private func makeImage(
        _ job: ImageJobKey, for request: ImageRequest, _ work: any SharedWork, _ events: EventSink
    ) async throws -> LoadedImage {
        // Work for the same key may have ended between this request's look-up and its join.
        if request.readsMemory, let image = configuration.memoryCache?.image(for: job.image) {
            events.send(.memoryHit)
            return LoadedImage(image: image, source: .memory, encodedByteCount: nil)
        }
        let (image, original, route) = try await decodableImage(for: request, job.route, work, events)
        events.send(.decoded(image.bitmap.size))
        // What is out of date is not kept where nobody would ask again.
        if job.memory.writes, original.source != .stale { keep(image, for: job.image, route) }
        return LoadedImage(image: image, source: original.source, encodedByteCount: original.data.count)
    }

    /// Keeps a picture in memory unless a reload has brought a newer one, before or meanwhile.
    private func keep(_ image: DecodedImage, for key: ImageCacheKey, _ route: FetchRoute) {
        guard isCurrent(route, of: key.source) else { return }
        configuration.memoryCache?.insert(image, for: key)
        if !isCurrent(route, of: key.source) { configuration.memoryCache?.remove(for: key) }
    }

    /// Fetches and decodes. Bytes that are no picture leave the disk cache, and if they came from it, the network is
    /// asked once more: one bad answer must not be served for ever. Returns the route on which the bytes came, too.
    private func decodableImage(
        for request: ImageRequest, _ route: FetchRoute, _ work: any SharedWork, _ events: EventSink
    ) async throws -> (DecodedImage, LoadedData, FetchRoute) {
        let original = try await fetch(request, for: work, events)
        do {
            return (try await decode(original, for: request, work), original, route)
        } catch let failure as DecodingFailure where failure.isTheDatasFault && route.disk != .none {
            try await discard(request)
            guard original.source != .network, !route.isOffline else { throw failure }
            var again = request
            again.mode = .reload
            let fresh = try await fetch(again, for: work, events)
            return (try await decode(fresh, for: request, work), fresh, FetchRoute(again))
        }
    }

    private func fetch(
        _ request: ImageRequest, for work: any SharedWork, _ events: EventSink
    ) async throws -> LoadedData {
        let waiter = WaiterID(rawValue: newID())
        let coalescer = configuration.dataCoalescer
        return try await sharedData(for: request, waiter: waiter, priority: work.priority, events) {
            work.onPriorityChange { coalescer.setPriority($0, of: waiter) }
        } onProgress: {
            work.report($0)
        }
    }

    private func decode(
        _ original: LoadedData, for request: ImageRequest, _ work: any SharedWork
    ) async throws -> DecodedImage {
        let decoder = configuration.decoder
        return try await configuration.scheduler.perform(in: .decode, for: work) { isCancelled in
            var image = try decoder.decode(
                original.data, request: DecodingRequest(target: request.target), isCancelled: isCancelled)
            for processor in request.processors {
                if isCancelled() { throw CancellationError() }
                image.bitmap = try processor.applied(to: image.bitmap)
            }
            return image
        }
    }
}

extension ImageProcessor {
    fileprivate func applied(to bitmap: Bitmap) throws(ImageError) -> Bitmap {
        do {
            return try process(bitmap)
        } catch {
            throw .processing(identifier: identifier, "\(error)")
        }
    }
}

extension DecodingFailure {
    /// True when other bytes might decode: the request's wishes and limits are not to blame.
    var isTheDatasFault: Bool {
        switch self {
        case .unknownFormat, .malformed, .truncated: true
        case .unsupported, .limitExceeded, .noSuchFrame, .cancelled: false
        }
    }
}
