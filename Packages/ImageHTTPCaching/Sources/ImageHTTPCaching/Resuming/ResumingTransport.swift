import HTTPTypes
public import ImageCore
public import ImageTransporting
import Synchronization

/// Resumes interrupted downloads, even after a relaunch (RFC 9110, 13.1.5 and 14).
///
/// If a response has a length and a strong validator, its body is stored in parts until it is complete. The next
/// request with the same URL and header fields asks for the rest by Range and If-Range.
///
/// Other requests are passed through: methods other than GET, requests with a body, a Range or a condition, and those
/// that must not be stored (`CacheUse.none`, `no-store`).
public struct ResumingTransport: DataTransport {
    private let transport: any DataTransport
    private let cache: any ImageDataCache
    private let partByteCount: Int
    private let timeout: StoreTimeout
    private let names: EntryNames
    private let now: @Sendable () -> Date
    private let onCacheFailure: @Sendable (URL, DataCacheError) -> Void

    /// Creates a transport that resumes interrupted downloads. At most a part, of 1 MiB, is lost if the process is killed.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - cache: The cache for the parts. It may also store complete bodies, because the keys differ.
    ///   - clock: Measures how long a transfer waits until a part is stored: two seconds at most. Nil for no limit.
    ///   - now: Returns the current date.
    ///   - onCacheFailure: Called with the URL of the request if the cache fails. The transfer continues without it.
    public init(
        _ transport: any DataTransport, cache: any ImageDataCache, clock: (any Clock<Duration>)? = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        onCacheFailure: @escaping @Sendable (URL, DataCacheError) -> Void = { _, _ in }
    ) {
        self.init(
            transport, cache: cache, partByteCount: 1 << 20, clock: clock, now: now, onCacheFailure: onCacheFailure)
    }

    /// Creates a transport with parts of another size.
    init(
        _ transport: any DataTransport, cache: any ImageDataCache, partByteCount: Int,
        clock: (any Clock<Duration>)? = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        onCacheFailure: @escaping @Sendable (URL, DataCacheError) -> Void = { _, _ in }
    ) {
        self.transport = transport
        self.cache = cache
        self.partByteCount = partByteCount
        timeout = StoreTimeout(clock: clock)
        names = EntryNames(cache)
        self.now = now
        self.onCacheFailure = onCacheFailure
    }

    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.isResumable else { return try await transport.send(request) }
        let store = PartialStore(request, in: cache, names, timeout, now: now) {
            [onCacheFailure] failure in onCacheFailure(request.url, failure)
        }
        if let (partial, parts) = await store.stored(), let offset = parts.last?.upperBound {
            let response = try await transport.send(partial.request(request, from: offset))
            switch partial.outcome(of: response.head, offset: offset) {
            case .resumes(let head):
                return try resumed(partial, head, stored: parts, rest: response.body, store, request)
            case .passesThrough: return response
            case .restarts:
                await store.remove(partial, parts: parts)
                return try recorded(response, store)
            case .fetchesAgain:
                response.body.discard()
                await store.remove(partial, parts: parts)
            }
        }
        return try recorded(try await transport.send(request), store)
    }

    private func resumed(
        _ partial: PartialDownload, _ head: ResponseHead, stored: [Range<Int>], rest: TransportBody,
        _ store: PartialStore, _ request: TransportRequest
    ) throws(TransportError) -> TransportResponse {
        guard partial.totalByteCount <= request.bodyByteLimit else { throw .tooLarge(byteLimit: request.bodyByteLimit) }
        return TransportResponse(head: head, body: body(partial, stored: stored, rest: rest, store))
    }

    /// Throws if a response with status 200 is a part that nobody asked for.
    private func recorded(
        _ response: TransportResponse, _ store: PartialStore
    ) throws(TransportError) -> TransportResponse {
        if response.head.status == .ok, response.head.isPart {
            response.body.discard()
            throw .malformedResponse("a part of the body in response to a request for all of it")
        }
        guard let partial = PartialDownload(response.head, now: now()) else { return response }
        return TransportResponse(head: response.head, body: body(partial, stored: [], rest: response.body, store))
    }

    private func body(
        _ partial: PartialDownload, stored: [Range<Int>], rest: TransportBody, _ store: PartialStore
    ) -> TransportBody {
        ResumableBody(partial, stored: stored, rest: rest, store: store, partByteCount: partByteCount).body
    }
}

extension TransportRequest {
    fileprivate var isResumable: Bool {
        HTTPCacheRequest(method: method, headers: headers).isPlainGet && body == nil && !cacheUse.isNone
            && !CacheDirectives(headers).contains("no-store")
    }
}

/// A body that delivers the stored parts, then the rest from the server. Stores the rest in parts.
final class ResumableBody: Sendable {
    private struct State {
        /// The ranges of the stored parts, including new ones.
        var stored: [Range<Int>]
        var toReplay: ArraySlice<Range<Int>>
        var assembler: PartAssembler
        var isStoreBroken = false
    }

    private let partial: PartialDownload
    private let rest: TransportBody
    private let store: PartialStore
    private let isResumed: Bool
    private let state: Mutex<State>

    /// - Parameter stored: The ranges of the stored parts, from the beginning of the body without gaps.
    init(
        _ partial: PartialDownload, stored: [Range<Int>], rest: TransportBody, store: PartialStore, partByteCount: Int
    ) {
        self.partial = partial
        self.rest = rest
        self.store = store
        isResumed = !stored.isEmpty
        let assembler = PartAssembler(
            totalByteCount: partial.totalByteCount, partByteCount: partByteCount, offset: stored.last?.upperBound ?? 0)
        state = Mutex(State(stored: stored, toReplay: stored[...], assembler: assembler))
    }

    var body: TransportBody {
        TransportBody(
            pull: { () async throws(TransportError) in try await self.pull() }, discard: { self.rest.discard() })
    }

    private func pull() async throws(TransportError) -> Data? {
        if let part = state.withLock({ $0.toReplay.popFirst() }) { return try await replay(part) }
        do throws(TransportError) {
            var iterator = rest.makeAsyncIterator()
            guard let piece = try await iterator.next() else {
                try await finish()
                return nil
            }
            let part = try state.withLock { state throws(TransportError) in try state.assembler.arrived(piece) }
            if let part { await save(part) }
            return piece
        } catch .malformedResponse(let reason) where isResumed {
            // For example the whole body, although the head promised the rest.
            await removeStored()
            throw .connectionLost("the rest of a body doesn't continue it: \(reason)")
        } catch {
            if let tail = state.withLock({ $0.assembler.interrupted() }) { await save(tail) }
            throw error
        }
    }

    /// Throws if the cache has removed the part since; the transfer must then be repeated.
    private func replay(_ range: Range<Int>) async throws(TransportError) -> Data {
        if Task.isCancelled { throw .cancelled }
        if let part = await store.part(of: partial, at: range.lowerBound), part.count == range.count { return part }
        await removeStored()
        throw .connectionLost("a stored part of the body was removed from the cache")
    }

    /// If the cache fails, it isn't used for this body any more.
    private func save(_ part: PartAssembler.Part) async {
        guard !state.withLock(\.isStoreBroken) else { return }
        let isSaved = await store.save(part.data, of: partial, at: part.offset)
        state.withLock { state in
            state.isStoreBroken = !isSaved
            if isSaved { state.stored.append(part.offset..<part.offset + part.data.count) }
        }
    }

    private func finish() async throws(TransportError) {
        try state.withLock { state throws(TransportError) in try state.assembler.finish() }
        await removeStored()
    }

    /// Removes the parts of a body that is complete or can't be resumed.
    private func removeStored() async {
        let stored = state.withLock { $0.stored }
        guard !stored.isEmpty else { return }
        await store.remove(partial, parts: stored)
    }
}

/// Combines the pieces of a body into parts of a minimum size, and counts the bytes. Pure.
struct PartAssembler {
    struct Part: Equatable {
        var offset: Int
        var data: Data
    }

    private let totalByteCount: Int
    private let partByteCount: Int
    private var received: Int
    private var pending = Data()

    init(totalByteCount: Int, partByteCount: Int, offset: Int) {
        self.totalByteCount = totalByteCount
        self.partByteCount = partByteCount
        received = offset
    }

    /// Returns a part if it is full. Throws `.malformedResponse` if there are more bytes than announced.
    mutating func arrived(_ piece: Data) throws(TransportError) -> Part? {
        received += piece.count
        guard received <= totalByteCount else {
            throw .malformedResponse("more than the \(totalByteCount) bytes announced")
        }
        // At most `partByteCount`, although the server announces the total.
        if pending.isEmpty { pending.reserveCapacity(min(partByteCount, totalByteCount - received + piece.count)) }
        pending.append(piece)
        return pending.count >= partByteCount ? takePart() : nil
    }

    /// Returns the bytes that aren't in a part yet.
    mutating func interrupted() -> Part? { pending.isEmpty ? nil : takePart() }

    /// Throws `.closedEarly` if bytes are missing.
    func finish() throws(TransportError) {
        guard received == totalByteCount else { throw .closedEarly(received: received, expected: totalByteCount) }
    }

    private mutating func takePart() -> Part {
        defer { pending = Data() }
        return Part(offset: received - pending.count, data: pending)
    }
}
