import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageLoader {
    /// Fetches and decodes, showing previews if somebody wants them.
    func decodedImage(for wait: PictureWait, _ work: any SharedWork) async throws -> LoadedImage {
        let (load, report) = (wait.load, ProgressReporter(work))
        let pump = previewPump(wait.job.image, for: load.request, work, report)
        defer { pump?.close() }
        let original = try await fetch(load, for: work, report, pump)
        pump?.close()
        do {
            let image = try await decode(original, for: load, wait.job.route, work)
            return loaded(image, from: original, load)
        } catch let failure as DecodingFailure where failure.isTheDatasFault {
            guard original.source.isStore, wait.job.route.disk != .none, !wait.job.route.isOffline else {
                throw failure
            }
            return try await decodedAnew(load, work, report)
        }
    }

    /// Bytes that are no picture leave the disk cache, and if they came from it, the network is asked once more: one bad answer must
    /// not be served for ever.
    @inline(never)  // seldom: no place in the frame above
    private func decodedAnew(
        _ load: Load, _ work: any SharedWork, _ report: ProgressReporter
    ) async throws -> LoadedImage {
        var again = load.request
        again.mode = .reload
        let (load, route) = (Load(again, inPlaceOf: load), FetchRoute(again))
        let original = try await fetch(load, for: work, report, nil)
        var renewed = loaded(try await decode(original, for: load, route, work), from: original, load)
        renewed.isRenewed = true
        return renewed
    }

    private func loaded(_ image: DecodedImage, from original: LoadedData, _ load: Load) -> LoadedImage {
        load.tell(.decoded(image.bitmap.size))
        return LoadedImage(image: image, source: original.source, encodedByteCount: original.data.count)
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

    private func fetch(
        _ load: Load, for work: any SharedWork, _ report: ProgressReporter, _ pump: PreviewPump?
    ) async throws -> LoadedData {
        let waiting = link(work, to: configuration.dataCoalescer) { progress in
            report.progressed(progress.withoutBytes)
            if let received = progress.received { pump?.offer(received) }
        }
        return try await original(for: load, waiting, work.priority)
    }

    private func decode(
        _ original: LoadedData, for load: Load, _ route: FetchRoute, _ work: any SharedWork
    ) async throws -> DecodedImage {
        let (decoder, decoding) = (configuration.decoder, DecodingRequest(target: load.request.target))
        load.tell(.queued(.decode))
        do {
            return try await lanes.perform(in: .decode, for: work) { isCancelled in
                load.tell(.decodingStarted)
                return try decoder.decode(original.data, request: decoding, isCancelled: isCancelled)
            }
        } catch let failure as DecodingFailure where failure.isTheDatasFault && route.disk != .none {
            if original.source.isStore { load.tell(.diskMiss(.noPicture)) }
            try await discard(load)
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
