import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageLoader {
    /// Decodes an original as soon as it is there, showing previews meanwhile if somebody wants them.
    func beginDecoding(
        for wait: PictureWait, _ work: any SharedWork, _ proceed: @escaping Proceed<LoadedImage>
    ) -> @Sendable () -> Void {
        let report = ProgressReporter(work)
        let pump = previewPump(wait.job.image, for: wait.load.request, work, report)
        return join(wait.load, for: work, report, pump) { original in
            pump?.close()
            proceed {
                self.kept(try await self.decodedImage(of: try original.get(), for: wait, work, report), for: wait)
            }
        }
    }

    private func decodedImage(
        of original: LoadedData, for wait: PictureWait, _ work: any SharedWork, _ report: ProgressReporter
    ) async throws -> LoadedImage {
        do {
            let image = try await decode(original, for: wait.load, wait.job.route, work)
            return loaded(image, from: original, wait.load)
        } catch let failure as DecodingFailure where failure.isTheDatasFault {
            guard original.source.isStore, wait.job.route.disk != .none, !wait.job.route.isOffline else {
                throw failure
            }
            return try await decodedAnew(wait.load, work, report)
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
        let original = try await answered { join(load, for: work, report, nil, onAnswer: $0) }
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

    /// Joins or begins the work for the original of a picture, which waits at the picture's priority.
    private func join(
        _ load: Load, for work: any SharedWork, _ report: ProgressReporter, _ pump: PreviewPump?,
        onAnswer: @escaping @Sendable (Result<LoadedData, any Error>) -> Void
    ) -> @Sendable () -> Void {
        let waiting = Waiting(id: newWaiter()) { progress in
            report.progressed(progress.withoutBytes)
            if let received = progress.received { pump?.offer(received) }
        }
        let leave = join(load, waiting, work.priority, onAnswer: onAnswer)
        follow(work, with: waiting.id, in: configuration.dataCoalescer)
        return leave
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
