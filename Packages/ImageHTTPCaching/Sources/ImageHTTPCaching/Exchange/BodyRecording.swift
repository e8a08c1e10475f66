import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores a body while it is delivered in chunks. Only a complete body becomes an entry. A truncated or discarded one
/// leaves nothing.
final class BodyRecording: Sendable {
    private let source: TransportBody
    /// `nil` after the cache has failed. The body is still delivered.
    private let writer: Mutex<(any DataCacheWriter)?>
    private let store: ResponseStore
    private let key: ResponseKey
    private let byteCount = Atomic(0)
    private let isStored: @Sendable (_ byteCount: Int) async -> Void

    /// Creates a recording.
    ///
    /// - Parameter isStored: Called after the whole body is stored, before the end of the body is delivered.
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

    /// The body, which is stored while it is read.
    var body: TransportBody {
        TransportBody(
            pull: { () async throws(TransportFailure) in try await self.next() }, discard: { self.source.discard() })
    }

    /// Returns the body after reading its first `limit` bytes.
    ///
    /// A body up to this length is stored even if nobody reads it.
    func body(readingAhead limit: Int) async -> TransportBody {
        var prefix = Data()
        do throws(TransportFailure) {
            while prefix.count <= limit {
                guard let chunk = try await next() else { return TransportBody(prefix) }
                prefix.append(chunk)
            }
        } catch {
            return TransportBody(pull: { () async throws(TransportFailure) in throw error })
        }
        let unread = OneTimeData(prefix)
        return TransportBody(pull: { () async throws(TransportFailure) in
            if let prefix = unread.take() { return prefix }
            return try await self.next()
        })
    }

    private func next() async throws(TransportFailure) -> Data? {
        var iterator = source.makeAsyncIterator()
        guard let chunk = try await iterator.next() else {
            await finish()
            return nil
        }
        byteCount.wrappingAdd(chunk.count, ordering: .relaxed)
        await writing { writer throws(DataCacheFailure) in try await writer.append(chunk) }
        return chunk
    }

    private func finish() async {
        let time = store.now()
        let isDone = await writing { writer throws(DataCacheFailure) in
            try await writer.finish(metadata: Data(), createdAt: time)
        }
        if isDone { await isStored(byteCount.load(ordering: .relaxed)) }
    }

    /// Calls `body` with the writer. Returns false if there is no writer or it fails.
    @discardableResult
    private func writing(_ body: (any DataCacheWriter) async throws(DataCacheFailure) -> Void) async -> Bool {
        guard let writer = writer.withLock({ $0 }) else { return false }
        let isDone = await store.reporting(key) { () async throws(DataCacheFailure) in try await body(writer) } != nil
        if !isDone { self.writer.withLock { $0 = nil } }
        return isDone
    }
}
