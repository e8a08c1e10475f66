import HTTPTypes
import ImageCore
import ImageTransporting
import Synchronization

extension CachedExchange {
    /// The receiver of an error or redirect may not read its body, so this many bytes are read to store it.
    private static let readAheadLimit = 64 << 10

    /// Returns a response from the server. If the policy allows it, the response is stored while it is read.
    func deliver(_ server: ServerResponse) async -> TransportResponse {
        if redirectsToOwnKey(server.head) { return server.response }
        let response = StoredHTTPResponse(
            server.head, to: request.headers, requestTime: server.requestTime, responseTime: server.responseTime)
        if request.method == .head {
            await updateStored(byHead: server)
        } else if rules.policy.mayStore(response, to: cacheRequest), await mayReplaceStored(by: server.head) {
            return await storing(server, as: response)
        } else if server.head.status.code.describesResource, cacheRequest.isPlainGet {
            await store.change(key) { $0.remove(selectedBy: request.headers, invalidatedAt: server.requestTime) }
        }
        return server.response
    }

    /// Whether the response redirects to a URL with the same key. Stored, it would be the response to its own target.
    private func redirectsToOwnKey(_ head: ResponseHead) -> Bool {
        guard let target = RedirectChain.target(of: head, from: request.url) else { return false }
        return rules.keys.key(for: target) == rules.keys.key(for: request.url)
    }

    /// An error doesn't replace a response that may be needed when the server can't be reached.
    private func mayReplaceStored(by head: ResponseHead) async -> Bool {
        if head.status.code.describesResource { return true }
        return await !store.index(key).variants.contains { variant in
            variant.response.isSelected(by: request.headers) && variant.response.status.describesResource
        }
    }

    private func storing(_ server: ServerResponse, as response: StoredHTTPResponse) async -> TransportResponse {
        let expected = server.head.expectedBytes
        guard let variant = VariantIndex.Variant(response),
            let writer = await store.writer(variant.bodyName, of: key, expectedByteCount: expected)
        else { return server.response }
        let isSuccessful = server.head.status.kind == .successful
        let recording = BodyRecording(server.response.body, writer, store, key) { byteCount in
            await store.insert(variant, key, to: request.headers)
            if isSuccessful { rules.observer(.stored(request.url, bytes: byteCount)) }
        }
        var response = server.response
        response.isStored = true
        response.body = isSuccessful ? recording.body : await recording.body(readingAhead: Self.readAheadLimit)
        return response
    }

    /// Stores a body that an application has in place of the server. Returns whether it is stored.
    func store(_ body: Data, as head: ResponseHead) async -> Bool {
        let time = store.now()
        let response = StoredHTTPResponse(head, to: request.headers, requestTime: time, responseTime: time)
        guard rules.policy.mayStore(response, to: cacheRequest), let variant = VariantIndex.Variant(response),
            let writer = await store.writer(variant.bodyName, of: key, expectedByteCount: body.count)
        else { return false }
        let isWritten: Void? = await store.reporting(key) { () async throws(DataCacheFailure) in
            try await writer.append(body)
            try await writer.finish(metadata: Data(), createdAt: time)
        }
        guard isWritten != nil, await store.insert(variant, key, to: request.headers) else { return false }
        rules.observer(.stored(request.url, bytes: body.count))
        return true
    }

    /// Updates or removes stored responses by the response to a HEAD request (RFC 9111, 4.3.5).
    private func updateStored(byHead server: ServerResponse) async {
        guard server.head.status.code.describesResource else { return }
        await store.change(key) { index in
            for variant in index.variants where variant.response.isSelected(by: request.headers) {
                let freshened = variant.response.freshened(
                    byHead: server.head, requestTime: server.requestTime, responseTime: server.responseTime)
                if let freshened {
                    index.update(variant.bodyName, to: freshened)
                } else {
                    index.remove(variant.bodyName)
                }
            }
        }
    }
}

/// Stores a body while it is delivered in chunks. A truncated or discarded body leaves nothing.
final class BodyRecording: Sendable {
    private let received: TransportBody
    /// `nil` after the cache has failed. The body is still delivered.
    private let writer: Mutex<(any DataCacheWriter)?>
    private let store: ResponseStore
    private let key: ResponseKey
    private let byteCount = Atomic(0)
    private let isStored: @Sendable (_ byteCount: Int) async -> Void

    /// - Parameter isStored: Called after the whole body is stored, before its end is delivered.
    init(
        _ received: TransportBody, _ writer: any DataCacheWriter, _ store: ResponseStore, _ key: ResponseKey,
        isStored: @escaping @Sendable (_ byteCount: Int) async -> Void
    ) {
        self.received = received
        self.writer = Mutex(writer)
        self.store = store
        self.key = key
        self.isStored = isStored
    }

    var body: TransportBody {
        TransportBody(
            pull: { () async throws(TransportFailure) in try await self.next() }, discard: { self.received.discard() })
    }

    /// Reads the first `limit` bytes, so that a body up to this length is stored even if nobody reads it.
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
        var iterator = received.makeAsyncIterator()
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
