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
    private let isStored: @Sendable () async -> Void

    /// - Parameter isStored: called when the whole body is in its place, before its end is handed on.
    init(
        _ source: TransportBody, _ writer: any DataCacheWriter, _ store: ResponseStore,
        isStored: @escaping @Sendable () async -> Void
    ) {
        self.source = source
        self.writer = Mutex(writer)
        self.store = store
        self.isStored = isStored
    }

    var body: TransportBody {
        TransportBody(
            pull: { () async throws(TransportFailure) in try await self.next() }, discard: { self.source.discard() })
    }

    /// All of it at once, so that it is stored whether or not anyone reads it.
    func collected() async -> TransportBody {
        var data = Data()
        do throws(TransportFailure) {
            while let piece = try await next() { data.append(piece) }
        } catch {
            return TransportBody(pull: { () async throws(TransportFailure) in throw error })
        }
        return TransportBody(data)
    }

    private func next() async throws(TransportFailure) -> Data? {
        var iterator = source.makeAsyncIterator()
        guard let piece = try await iterator.next() else {
            await finish()
            return nil
        }
        await writing { writer throws(DataCacheFailure) in try await writer.append(piece) }
        return piece
    }

    private func finish() async {
        let time = store.now()
        let isDone = await writing { writer throws(DataCacheFailure) in
            try await writer.finish(metadata: Data(), createdAt: time)
        }
        if isDone { await isStored() }
    }

    /// False when there is no writer any more.
    @discardableResult
    private func writing(_ body: (any DataCacheWriter) async throws(DataCacheFailure) -> Void) async -> Bool {
        guard let writer = writer.withLock({ $0 }) else { return false }
        let isDone = await store.reporting { () async throws(DataCacheFailure) in try await body(writer) } != nil
        if !isDone { self.writer.withLock { $0 = nil } }
        return isDone
    }
}
