import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A body that is stored while it is handed on, piece by piece. Only its end makes it an entry: one that is cut or dropped leaves nothing.
final class BodyRecording: Sendable {
    private let source: TransportBody
    /// Nil when the cache has failed: the body goes on without it.
    private let writer: Mutex<(any DataCacheWriter)?>
    private let store: ResponseStore
    private let key: ResponseKey
    private let byteCount = Atomic(0)
    private let isStored: @Sendable (_ byteCount: Int) async -> Void

    /// - Parameter isStored: called when the whole body is in its place, before its end is handed on.
    init(
        _ source: TransportBody, _ writer: any DataCacheWriter, _ store: ResponseStore, _ key: ResponseKey,
        isStored: @escaping @Sendable (_ byteCount: Int) async -> Void
    ) {
        self.source = source
        self.writer = Mutex(writer)
        self.store = store
        self.key = key
        self.isStored = isStored
    }

    var body: TransportBody {
        TransportBody(
            pull: { () async throws(TransportFailure) in try await self.next() }, discard: { self.source.discard() })
    }

    /// The same, after so much of it has been read, that a short one is stored whether or not anyone reads it.
    func body(readingAhead limit: Int) async -> TransportBody {
        var ahead = Data()
        do throws(TransportFailure) {
            while ahead.count <= limit {
                guard let piece = try await next() else { return TransportBody(ahead) }
                ahead.append(piece)
            }
        } catch {
            return TransportBody(pull: { () async throws(TransportFailure) in throw error })
        }
        let beginning = OneTime(ahead)
        return TransportBody(pull: { () async throws(TransportFailure) in
            if let ahead = beginning.take() { return ahead }
            return try await self.next()
        })
    }

    private func next() async throws(TransportFailure) -> Data? {
        var iterator = source.makeAsyncIterator()
        guard let piece = try await iterator.next() else {
            await finish()
            return nil
        }
        byteCount.wrappingAdd(piece.count, ordering: .relaxed)
        await writing { writer throws(DataCacheFailure) in try await writer.append(piece) }
        return piece
    }

    private func finish() async {
        let time = store.now()
        let isDone = await writing { writer throws(DataCacheFailure) in
            try await writer.finish(metadata: Data(), createdAt: time)
        }
        if isDone { await isStored(byteCount.load(ordering: .relaxed)) }
    }

    /// False when there is no writer any more.
    @discardableResult
    private func writing(_ body: (any DataCacheWriter) async throws(DataCacheFailure) -> Void) async -> Bool {
        guard let writer = writer.withLock({ $0 }) else { return false }
        let isDone = await store.reporting(key) { () async throws(DataCacheFailure) in try await body(writer) } != nil
        if !isDone { self.writer.withLock { $0 = nil } }
        return isDone
    }
}

/// Something that is given out once.
private final class OneTime: Sendable {
    private let value: Mutex<Data?>

    init(_ value: Data) { self.value = Mutex(value) }

    func take() -> Data? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
