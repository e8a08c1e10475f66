import ImageCore
import Synchronization

extension ImageLoader {
    /// Decodes an original. Stored bytes that can't be decoded are removed and downloaded once more.
    func decode(
        _ original: LoadedData, for context: RequestContext, _ shared: any SharedOperation
    ) async throws -> ImageJobResult {
        do {
            return try await decode(original, for: context, shared.priority)
        } catch let failure as DecodingFailure where failure.isCausedByData && context.route.disk != .none {
            if original.source.isStored { context.send(.diskMiss(.notAnImage)) }
            try await removeStoredOriginal(for: context)
            guard original.source.isStored, !context.route.isOffline else { throw failure }
            return try await renewedImage(for: context, shared)
        }
    }

    private func renewedImage(
        for context: RequestContext, _ shared: any SharedOperation
    ) async throws -> ImageJobResult {
        let reload = context.replacing { $0.mode = .reload }
        let original = try await originalData(for: reload, shared.priority) { shared.report($0) }
        do {
            var result = try await decode(original, for: reload, shared.priority)
            result.isRenewed = true
            return result
        } catch let failure as DecodingFailure where failure.isCausedByData {
            try await removeStoredOriginal(for: reload)
            throw failure
        }
    }

    private func decode(
        _ original: LoadedData, for context: RequestContext, _ priority: LivePriority
    ) async throws -> ImageJobResult {
        let (decoder, decoding) = (configuration.decoder, DecodingRequest(target: context.request.target))
        context.send(.queued(.decode))
        let image = try await configuration.scheduler.runInDecodeLane(priority) { isCancelled in
            context.send(.decodingStarted)
            return try decoder.decode(original.data, request: decoding, isCancelled: isCancelled)
        }
        context.send(.decoded(image.bitmap.size))
        let loaded = LoadedImage(image: image, source: original.source, encodedByteCount: original.data.count)
        return ImageJobResult(loaded: loaded, requestID: context.id)
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

extension ImageSource {
    /// Whether the bytes were stored on disk and may be damaged.
    fileprivate var isStored: Bool { self == .disk || self == .validated || self == .stale }
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
