import ImageCore
import Synchronization

extension ImageLoader {
    /// Decodes an original. Stored bytes that can't be decoded are removed and downloaded once more, unless a reload
    /// has replaced them.
    func decode(
        _ original: DataJobResult, for context: RequestContext, _ shared: any SharedOperation
    ) async throws -> ImageJobResult {
        do {
            return try await decode(original, for: context, shared.priority)
        } catch let failure as DecodingFailure where failure.isCausedByData && context.route.disk != .none {
            let isStored = [.disk, .validated, .stale].contains(original.loaded.source)
            let isCurrent = context.isCurrent(original.lastReload)
            if isStored { context.send(.diskMiss(.notAnImage)) }
            if isCurrent { try await removeStoredOriginal(for: context) }
            guard isStored, !context.route.isOffline else { throw failure }
            return try await renewedImage(context.replacing { if isCurrent { $0.mode = .reload } }, shared)
        }
    }

    private func renewedImage(_ context: RequestContext, _ shared: any SharedOperation) async throws -> ImageJobResult {
        let original = try await originalData(for: context, shared.priority) { shared.report($0) }
        do {
            return try await decode(original, for: context, shared.priority)
        } catch let failure as DecodingFailure where failure.isCausedByData {
            try await removeStoredOriginal(for: context)
            throw failure
        }
    }

    private func decode(
        _ original: DataJobResult, for context: RequestContext, _ priority: LivePriority
    ) async throws -> ImageJobResult {
        let (decoder, decoding) = (configuration.decoder, DecodingRequest(target: context.request.target))
        context.send(.queued(.decode))
        let image = try await configuration.scheduler.runInDecodeLane(priority) { isCancelled in
            context.send(.decodingStarted)
            return try decoder.decode(original.loaded.data, request: decoding, isCancelled: isCancelled)
        }
        context.send(.decoded(image.bitmap.size))
        let (source, byteCount) = (original.loaded.source, original.loaded.data.count)
        let loaded = LoadedImage(image: image, source: source, encodedByteCount: byteCount)
        return ImageJobResult(loaded: loaded, requestID: context.id, lastReload: original.lastReload)
    }
}

extension WorkScheduler {
    /// Runs synchronous CPU-bound work in the decode lane. `body` may call `isCancelled` on any thread.
    func runInDecodeLane<Value: Sendable>(
        _ priority: LivePriority, body: @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await run(in: .decode, host: nil, priority: priority) { try body { flag.isSet } }
        } onCancel: {
            flag.set()
        }
    }
}

private final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}

extension DecodingFailure {
    /// Whether the data is the cause, not the request or the limits.
    var isCausedByData: Bool {
        switch self {
        case .unknownFormat, .malformed, .truncated: true
        case .unsupported, .limitExceeded, .noSuchFrame, .cancelled: false
        }
    }
}
