import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The number of bytes that are buffered before they are written.
private let bufferSize = 1 << 18

/// Streams an entry to disk. An entry of less than 256 KiB is stored as a whole when it is finished.
final class DiskEntryWriter: DataCacheWriter {
    private struct State {
        /// The data that is not written yet.
        var buffered = Data()
        /// `nil` before the first write and after the end.
        var stream: EntryStream?
        var failure: DataCacheFailure?
        var hasEnded = false
    }

    private let cache: DiskDataCache
    private let key: DataCacheKey
    private let state = Mutex(State())

    init(_ cache: DiskDataCache, _ key: DataCacheKey) {
        self.cache = cache
        self.key = key
    }

    deinit {
        guard let stream = state.withLock({ $0.stream }) else { return }
        cache.writer.async { [folder = cache.folder] in folder.end(stream, isFailure: false) }
    }

    /// Reserves space for an entry that is larger than the buffer.
    func prepare(_ expectedByteCount: Int?) async throws(DataCacheFailure) {
        guard let expectedByteCount, expectedByteCount >= bufferSize else { return }
        try await write(Data(), expecting: expectedByteCount)
    }

    func append(_ bytes: Data) async throws(DataCacheFailure) {
        let buffered: Result<Data?, DataCacheFailure> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            if state.hasEnded { return .failure(.io("append: the writer is already finished or cancelled")) }
            state.buffered.append(bytes)
            guard state.buffered.count >= bufferSize else { return .success(nil) }
            defer { state.buffered = Data() }
            return .success(state.buffered)
        }
        if let bytes = try buffered.get() { try await write(bytes, expecting: nil) }
    }

    func finish(metadata: Data, createdAt: Date) async throws(DataCacheFailure) {
        let (rest, stream) = try end()
        guard let stream else {
            return try await recordingFailure { () async throws(DataCacheFailure) in
                try await cache.store(DataCacheEntry(data: rest, metadata: metadata, createdAt: createdAt), for: key)
            }
        }
        try await perform { folder throws(StreamFailure) in
            var stream = stream
            try folder.append(rest, to: &stream)
            try folder.finish(stream, metadata: metadata, createdAt: createdAt)
        }
    }

    func cancel() async {
        let stream = state.withLock { state in
            state.hasEnded = true
            state.buffered = Data()
            return state.stream.take()
        }
        guard let stream else { return }
        await withTaskExecutorPreference(cache.writer) { [folder = cache.folder] in
            folder.end(stream, isFailure: false)
        }
    }

    private func end() throws(DataCacheFailure) -> (rest: Data, stream: EntryStream?) {
        let result: Result<(Data, EntryStream?), DataCacheFailure> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            if state.hasEnded { return .failure(.io("finish: the writer is already finished or cancelled")) }
            state.hasEnded = true
            defer { state.buffered = Data() }
            return .success((state.buffered, state.stream.take()))
        }
        return try result.get()
    }

    private func write(_ bytes: Data, expecting: Int?) async throws(DataCacheFailure) {
        let existing = state.withLock { $0.stream.take() }
        let key = key
        let stream = try await perform { folder throws(StreamFailure) in
            var stream = if let existing { existing } else { try folder.beginStream(for: key, expected: expecting) }
            try folder.append(bytes, to: &stream)
            return stream
        }
        state.withLock { $0.stream = stream }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (EntryFolder) throws(StreamFailure) -> Value
    ) async throws(DataCacheFailure) -> Value {
        try await recordingFailure { () async throws(DataCacheFailure) in
            try await cache.outcome(on: cache.writer, work).mapError {
                $0.asDataCacheFailure(limit: cache.folder.largestEntry)
            }
            .get()
        }
    }

    /// Stores a failure, which all later calls throw.
    private func recordingFailure<Value>(
        _ work: () async throws(DataCacheFailure) -> Value
    ) async throws(DataCacheFailure) -> Value {
        do {
            return try await work()
        } catch {
            state.withLock { $0.failure = error }
            throw error
        }
    }
}

extension StreamFailure {
    fileprivate func asDataCacheFailure(limit: Int) -> DataCacheFailure {
        switch self {
        case .system(let failure): failure.asDataCacheFailure
        case .tooLarge(let byteCount): .tooLarge(bytes: byteCount, allowed: limit)
        }
    }
}
