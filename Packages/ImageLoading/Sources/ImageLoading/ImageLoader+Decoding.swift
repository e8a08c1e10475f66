import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageLoader {
    /// Fetches and decodes, showing previews if somebody wants them. Returns the route on which the bytes came, too.
    func decodedImage(
        _ job: ImageJobKey, for request: ImageRequest, _ work: any SharedWork, _ events: EventSink
    ) async throws -> (LoadedImage, FetchRoute) {
        let report = ProgressReporter(work)
        let pump = previewPump(job.image, for: request, work, report)
        defer { pump?.close() }
        let (image, original, route) = try await decodableImage(for: request, job.route, work, events, report, pump)
        events.send(.decoded(image.bitmap.size))
        let loaded = LoadedImage(image: image, source: original.source, encodedByteCount: original.data.count)
        return (loaded, route)
    }

    /// Nil when the decoder makes none.
    private func previewPump(
        _ key: ImageCacheKey, for request: ImageRequest, _ work: any SharedWork, _ report: ProgressReporter
    ) -> PreviewPump? {
        guard let decoder = previewingDecoder else { return nil }
        let decoding = DecodingRequest(target: request.target)
        return PreviewPump(configuration.scheduler) {
            work.priority
        } isWanted: {
            self.previewWishes.withLock { $0.contains(key) }
        } uptime: {
            self.governor.uptime()
        } makeSession: { [throttle = configuration.previewThrottle] in
            decoder.makeSession(request: decoding, throttle: throttle)
        } show: {
            report.previewed($0)
        }
    }

    /// Fetches and decodes. Bytes that are no picture leave the disk cache, and if they came from it, the network is
    /// asked once more: one bad answer must not be served for ever.
    private func decodableImage(
        for request: ImageRequest, _ route: FetchRoute, _ work: any SharedWork, _ events: EventSink,
        _ report: ProgressReporter, _ pump: PreviewPump?
    ) async throws -> (DecodedImage, LoadedData, FetchRoute) {
        let original = try await fetch(request, for: work, events, report, pump)
        pump?.close()
        do {
            return (try await decode(original, for: request, route, work), original, route)
        } catch let failure as DecodingFailure where failure.isTheDatasFault {
            guard original.source.isStore, route.disk != .none, !route.isOffline else { throw failure }
            var again = request
            again.mode = .reload
            let (fresh, route) = (try await fetch(again, for: work, events, report, nil), FetchRoute(again))
            return (try await decode(fresh, for: request, route, work), fresh, route)
        }
    }

    private func fetch(
        _ request: ImageRequest, for work: any SharedWork, _ events: EventSink,
        _ report: ProgressReporter, _ pump: PreviewPump?
    ) async throws -> LoadedData {
        let waiter = WaiterID(rawValue: newID())
        let coalescer = configuration.dataCoalescer
        return try await sharedData(
            for: request, waiter: waiter, priority: work.priority, events,
            onJoin: { work.onPriorityChange { coalescer.setPriority($0, of: waiter) } }
        ) { progress in
            report.progressed(progress.withoutBytes)
            if let received = progress.received { pump?.offer(received) }
        }
    }

    private func decode(
        _ original: LoadedData, for request: ImageRequest, _ route: FetchRoute, _ work: any SharedWork
    ) async throws -> DecodedImage {
        let (decoder, decoding) = (configuration.decoder, DecodingRequest(target: request.target))
        do {
            return try await configuration.scheduler.perform(in: .decode, for: work) { isCancelled in
                try decoder.decode(original.data, request: decoding, isCancelled: isCancelled)
            }
        } catch let failure as DecodingFailure where failure.isTheDatasFault && route.disk != .none {
            try await discard(request)
            throw failure
        }
    }
}

extension WorkProgress {
    /// As it is told to whoever asked for a picture.
    fileprivate var withoutBytes: WorkProgress {
        var progress = self
        progress.received = nil
        return progress
    }
}

extension ImageSource {
    /// True when the bytes were stored before, here, and may have gone bad since.
    fileprivate var isStore: Bool { self == .disk || self == .validated || self == .stale }
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
