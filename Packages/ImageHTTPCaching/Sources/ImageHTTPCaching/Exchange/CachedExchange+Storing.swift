import HTTPTypes
import ImageCore
import ImageTransporting
import Synchronization

extension CachedExchange {
    /// The receiver of an error or redirect may not read its body, so this many bytes are read to store it.
    private static let readAheadLimit = 64 << 10

    /// Returns a response from the server. If the policy allows it, the response is stored while it is read.
    func deliver(_ received: ServerResponse) async -> TransportResponse {
        var server = received
        let response = storable(server.head, requestTime: server.requestTime, responseTime: server.responseTime)
        server.response.head.freshUntil = freshUntil(response)
        if redirectsToOwnKey(server.head) { return server.response }
        if request.method == .head {
            await updateStored(byHead: server)
        } else if options.policy.mayStore(response, to: cacheRequest), await mayReplaceStored(by: server.head) {
            return await storing(server, as: response)
        } else if server.head.status.code.describesResource, cacheRequest.isPlainGet {
            await store.refuse(key, to: request.headers, sentAt: server.requestTime)
        }
        return server.response
    }

    private func storable(_ head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse {
        var response = StoredHTTPResponse(
            head, to: request.headers, requestTime: requestTime, responseTime: responseTime)
        response.url = options.keys.storable(head.url)
        return response
    }

    /// Whether the response redirects to a URL with the same key. Stored, it would be the response to its own target.
    private func redirectsToOwnKey(_ head: ResponseHead) -> Bool {
        guard let target = RedirectChain.target(of: head, from: request.url) else { return false }
        return options.keys.key(for: target) == options.keys.key(for: request.url)
    }

    /// An error doesn't replace a response that may be needed when the server can't be reached.
    private func mayReplaceStored(by head: ResponseHead) async -> Bool {
        if head.status.code.describesResource { return true }
        return await !store.index(key).variants.contains { variant in
            variant.response.isSelected(by: request.headers) && variant.response.status.describesResource
        }
    }

    private func storing(_ server: ServerResponse, as response: StoredHTTPResponse) async -> TransportResponse {
        guard
            let recording = recording(
                of: server.response.body, expectedByteCount: server.head.expectedByteCount, as: response)
        else { return server.response }
        var response = server.response
        response.isStored = true
        let isSuccessful = server.head.status.kind == .successful
        response.body = isSuccessful ? recording.body : await recording.body(readingAhead: Self.readAheadLimit)
        return response
    }

    /// Returns nil if the head can't be encoded.
    private func recording(
        of body: TransportBody, expectedByteCount: Int?, as response: StoredHTTPResponse
    ) -> BodyRecording? {
        guard let variant = VariantIndex.Variant(response) else { return nil }
        return BodyRecording(body, store, key, variant.bodyName, expectedByteCount: expectedByteCount) { byteCount in
            guard await store.insert(variant, key, to: request.headers) else { return false }
            if (200..<300).contains(response.status) { options.observer(.stored(request.url, bytes: byteCount)) }
            return true
        }
    }

    /// Stores a body that an application has in place of the server. Returns whether it is stored.
    func store(_ body: Data, as head: ResponseHead) async -> Bool {
        let time = store.now()
        let response = storable(head, requestTime: time, responseTime: time)
        guard options.policy.mayStore(response, to: cacheRequest) else { return false }
        return await recording(of: TransportBody(body), expectedByteCount: body.count, as: response)?.storeAll()
            ?? false
    }

    /// Updates or removes stored responses by the response to a HEAD request (RFC 9111, 4.3.5).
    private func updateStored(byHead server: ServerResponse) async {
        guard server.head.status.code.describesResource else { return }
        await store.change(key) { index in
            let now = store.now()
            for variant in index.variants
            where variant.response.isSelected(by: request.headers)
                && !variant.response.isLater(than: server.requestTime, now: now)
            {
                let freshened = variant.response.freshened(
                    byHead: server.head, requestTime: server.requestTime, responseTime: server.responseTime)
                if let freshened {
                    index.update(variant.bodyName, to: freshened, now: now)
                } else {
                    index.remove(variant.bodyName)
                }
            }
        }
    }
}

/// Stores a body while it is delivered in chunks. A truncated or discarded body leaves nothing.
final class BodyRecording: Sendable {
    private struct State {
        /// The bytes that aren't written yet.
        var pending = Data()
        var byteCount = 0
        var writer: (any DataCacheWriter)?
        /// Whether the cache has failed or is slow. The body is still delivered.
        var isGivenUp = false
    }

    /// The number of bytes that are written at a time.
    private static let writeBytes = 256 << 10

    private let received: TransportBody
    private let store: ResponseStore
    private let key: ResponseKey
    private let name: String
    private let expectedByteCount: Int?
    private let state = Mutex(State())
    private let insert: @Sendable (_ byteCount: Int) async -> Bool

    /// - Parameters:
    ///   - name: The name of the body in the store.
    ///   - insert: Called after the whole body is stored, before its end is delivered. Returns whether it is in the index.
    init(
        _ received: TransportBody, _ store: ResponseStore, _ key: ResponseKey, _ name: String, expectedByteCount: Int?,
        insert: @escaping @Sendable (_ byteCount: Int) async -> Bool
    ) {
        self.received = received
        self.store = store
        self.key = key
        self.name = name
        self.expectedByteCount = expectedByteCount
        self.insert = insert
    }

    var body: TransportBody {
        TransportBody(
            pull: { () async throws(TransportError) in try await self.next() }, discard: { self.received.discard() })
    }

    /// Reads the first `limit` bytes, so that a body up to this length is stored even if nobody reads it.
    func body(readingAhead limit: Int) async -> TransportBody {
        var prefix = Data()
        var failure: TransportError?
        do throws(TransportError) {
            while prefix.count <= limit {
                guard let chunk = try await next() else { return TransportBody(prefix) }
                prefix.append(chunk)
            }
        } catch {
            failure = error
        }
        let unread = OneTimeData(prefix)
        return TransportBody(
            pull: { [failure] () async throws(TransportError) in
                if let prefix = unread.take() { return prefix }
                if let failure { throw failure }
                return try await self.next()
            }, discard: { self.received.discard() })
    }

    /// Reads and stores the whole body. Returns whether it is stored.
    func storeAll() async -> Bool {
        var iterator = received.makeAsyncIterator()
        while let chunk = try? await iterator.next() { await record(chunk) }
        return await finish()
    }

    private func next() async throws(TransportError) -> Data? {
        var iterator = received.makeAsyncIterator()
        let chunk = try await iterator.next()
        if let chunk { await record(chunk) } else { await finish() }
        return chunk
    }

    private func record(_ chunk: Data) async {
        let isFull = state.withLock { state in
            state.byteCount += chunk.count
            if !state.isGivenUp { state.pending.append(chunk) }
            return state.pending.count >= Self.writeBytes
        }
        if isFull, await store.inTime(key, { await self.write() != nil }) != true { giveUp() }
    }

    @discardableResult
    private func finish() async -> Bool {
        if state.withLock(\.isGivenUp) { return false }
        let time = store.now()
        return await store.inTime(key) {
            guard let writer = await self.write() else { return false }
            let isFinished: Void? = await self.store.reporting(self.key) { () async throws(DataCacheError) in
                try await writer.finish(metadata: Data(), creationDate: time)
            }
            return isFinished == nil ? false : await self.insert(self.state.withLock(\.byteCount))
        } ?? false
    }

    /// Writes the pending bytes, and returns the writer. Returns nil if the cache fails.
    private func write() async -> (any DataCacheWriter)? {
        let (bytes, existing) = state.withLock { state in
            defer { state.pending = Data() }
            return (state.pending, state.writer)
        }
        let new = existing == nil ? await store.writer(name, of: key, expectedByteCount: expectedByteCount) : nil
        guard let writer = existing ?? new else { return nil }
        state.withLock { $0.writer = $0.isGivenUp ? nil : writer }
        return await store.reporting(key) { () async throws(DataCacheError) in
            try await writer.append(bytes)
            return writer
        }
    }

    /// Releases the writer, which removes what is written.
    private func giveUp() {
        state.withLock { state in
            state.pending = Data()
            state.writer = nil
            state.isGivenUp = true
        }
    }
}
