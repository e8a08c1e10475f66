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
        let decoding = Decoding(wait, work, report, pump, proceed)
        let place = join(wait.load, as: decoding, work.priority)
        follow(work, from: place)
        return { place.leave() }
    }

    fileprivate nonisolated(nonsending) func decodedImage(
        of original: LoadedData, for wait: PictureWait, _ work: any SharedWork, _ report: ProgressReporter
    ) async throws -> LoadedImage {
        do {
            let image = try await decode(original, for: wait.load, work)
            return loaded(image, from: original, wait.load)
        } catch let failure as DecodingFailure where failure.isTheDatasFault {
            let route = wait.load.route
            guard original.source.isStore, route.disk != .none, !route.isOffline else {
                throw failure
            }
            return try await decodedAnew(wait.load, work, report)
        }
    }

    /// Bytes that are no picture leave the disk cache, and if they came from it, the network is asked once more: one bad answer must
    /// not be served for ever.
    @inline(never)  // seldom: no place in the frame above
    private nonisolated(nonsending) func decodedAnew(
        _ load: Load, _ work: any SharedWork, _ report: ProgressReporter
    ) async throws -> LoadedImage {
        var again = load.request
        again.mode = .reload
        let load = Load(again, inPlaceOf: load)
        let original = try await original(for: load, work.priority) {
            report.progressed($0.withoutBytes)
        } onJoin: {
            follow(work, from: $0)
        }
        var renewed = loaded(try await decode(original, for: load, work), from: original, load)
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

    private nonisolated(nonsending) func decode(
        _ original: LoadedData, for load: Load, _ work: any SharedWork
    ) async throws -> DecodedImage {
        let (decoder, decoding) = (configuration.decoder, DecodingRequest(target: load.request.target))
        load.tell(.queued(.decode))
        do {
            return try await lanes.perform(in: .decode, for: work) { isCancelled in
                load.tell(.decodingStarted)
                return try decoder.decode(original.data, request: decoding, isCancelled: isCancelled)
            }
        } catch let failure as DecodingFailure where failure.isTheDatasFault && load.route.disk != .none {
            if original.source.isStore { load.tell(.diskMiss(.noPicture)) }
            try await discard(load)
            throw failure
        }
    }
}

/// Decodes an original as soon as it is there, and hands its bytes to previews meanwhile.
private final class Decoding: SharedWorkWaiter {
    private let wait: PictureWait
    private let work: any SharedWork
    private let report: ProgressReporter
    private let pump: PreviewPump?
    private let proceed: Proceed<LoadedImage>

    init(
        _ wait: PictureWait, _ work: any SharedWork, _ report: ProgressReporter, _ pump: PreviewPump?,
        _ proceed: @escaping Proceed<LoadedImage>
    ) {
        self.wait = wait
        self.work = work
        self.report = report
        self.pump = pump
        self.proceed = proceed
    }

    func progressed(_ progress: WorkProgress) {
        report.progressed(progress.withoutBytes)
        if let received = progress.received { pump?.offer(received) }
    }

    func succeeded(with original: LoadedData) {
        wait.load.noteJoining(original)
        pump?.close()
        proceed { try await self.picture(of: original) }
    }

    func failed(with error: any Error) {
        pump?.close()
        proceed { throw error }
    }

    private nonisolated(nonsending) func picture(of original: LoadedData) async throws -> LoadedImage {
        let loader = wait.load.loader
        return loader.kept(try await loader.decodedImage(of: original, for: wait, work, report), for: wait)
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
