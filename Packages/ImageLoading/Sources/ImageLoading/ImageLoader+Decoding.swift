import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageLoader {
    /// Decodes an original as soon as it is there, showing previews meanwhile if somebody wants them.
    func beginDecoding(_ work: PictureWork) -> @Sendable () -> Void {
        let decoding = Decoding(work, previewPump(work))
        let place = join(work.load, as: decoding, work.waiters.priority)
        work.follow(from: place)
        return { place.leave() }
    }

    fileprivate nonisolated(nonsending) func decodedImage(
        of original: LoadedData, _ work: PictureWork
    ) async throws -> LoadedImage {
        let load = work.load
        do {
            return loaded(try await decode(original, for: load, work.waiters), from: original, load)
        } catch let failure as DecodingFailure where failure.isTheDatasFault {
            guard original.source.isStore, load.route.disk != .none, !load.route.isOffline else { throw failure }
            return try await decodedAnew(work)
        }
    }

    /// Bytes that are no picture leave the disk cache, and if they came from it, the network is asked once more: one bad answer must
    /// not be served for ever.
    @inline(never)  // seldom: no place in the frame above
    private nonisolated(nonsending) func decodedAnew(_ work: PictureWork) async throws -> LoadedImage {
        var again = work.load.request
        again.mode = .reload
        let load = Load(again, inPlaceOf: work.load)
        let original = try await original(for: load, work.waiters.priority) {
            work.report.progressed($0.withoutBytes)
        } onJoin: {
            work.follow(from: $0)
        }
        var renewed = loaded(try await decode(original, for: load, work.waiters), from: original, load)
        renewed.isRenewed = true
        return renewed
    }

    private func loaded(_ image: DecodedImage, from original: LoadedData, _ load: Load) -> LoadedImage {
        load.tell(.decoded(image.bitmap.size))
        return LoadedImage(image: image, source: original.source, encodedByteCount: original.data.count)
    }

    /// Nil when the decoder makes none.
    private func previewPump(_ work: PictureWork) -> PreviewPump? {
        guard let decoder = previewingDecoder else { return nil }
        let decoding = DecodingRequest(target: work.load.request.target)
        return PreviewPump(configuration.scheduler) { [waiters = work.waiters] in
            waiters.priority
        } isWanted: { [key = work.load.key] in
            self.previewWishes.withLock { $0.contains(key) }
        } uptime: {
            self.governor.uptime()
        } makeSession: { [throttle = configuration.previewThrottle] in
            decoder.makeSession(request: decoding, throttle: throttle)
        } show: { [report = work.report] in
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
    private let work: PictureWork
    private let pump: PreviewPump?

    init(_ work: PictureWork, _ pump: PreviewPump?) {
        self.work = work
        self.pump = pump
    }

    func progressed(_ progress: WorkProgress) {
        work.report.progressed(progress.withoutBytes)
        if let received = progress.received { pump?.offer(received) }
    }

    func succeeded(with original: LoadedData) {
        work.load.noteJoining(original)
        pump?.close()
        work.proceed { [work] in
            let loader = work.load.loader
            return loader.kept(try await loader.decodedImage(of: original, work), for: work.load)
        }
    }

    func failed(with error: any Error) {
        pump?.close()
        work.proceed { throw error }
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
