import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Synchronization

/// The origins and the response cache. At random, they are slow, fail or ignore cancellation.
final class SimulatedNetwork: ResponseCache {
    private let context: SimulationContext
    private let stored = Stored()

    init(_ context: SimulationContext) { self.context = context }

    private final class Stored: Sendable {
        private let bodies = Mutex<[URL: Data]>([:])

        subscript(url: URL) -> Data? {
            get { bodies.withLock { $0[url] } }
            set { bodies.withLock { $0[url] = newValue } }
        }

        func removeAll() { bodies.withLock { $0 = [:] } }
    }

    /// The body of a response that is not an image.
    static let garbage = Data(repeating: 0x2A, count: SimulatedImage.byteCount)

    func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        let readsStored = !request.cacheUse.isNone && !request.cacheUse.asksServer
        if readsStored, let stored = await storedResponse(to: request) { return .stored(stored) }
        return .exchange(after: .absent) { () async throws(TransportError) in try await self.exchange(request) }
    }

    private func exchange(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let transfer = SimulatedTransfer(context)
        try await transfer.latency()
        switch context.draw(20) {
        case 0: throw transfer.failure(.connectionLost("simulated"))
        case 1: throw transfer.failure(.timedOut(.head))
        case 2: return transfer.response(.init(code: [404, 500, 503][context.draw(3)]), Data(), to: request)
        case 3: return transfer.response(.ok, Self.garbage, to: request)
        default: break
        }
        let image = SimulatedImage.file(Int(request.url.lastPathComponent) ?? 0)
        return transfer.response(.ok, image, to: request) { [stored] in
            if request.cacheUse.access.writes { stored[request.url] = image }
        }
    }

    private func storedResponse(to request: TransportRequest) async -> TransportResponse? {
        let acceptsStale = request.cacheUse.mode == .onlyIfCached
        for _ in 0..<context.draw(3) { await Task.yield() }
        guard var data = stored[request.url] else { return nil }
        let chance = context.draw(10)
        if chance == 0, !acceptsStale { return nil }
        if chance == 1 { data = Self.garbage }
        let head = ResponseHead(status: .ok, url: request.url, expectedByteCount: data.count)
        let piece = Mutex<Data?>(data)
        let body = TransportBody(pull: { () async throws(TransportError) in
            await Task.yield()
            return piece.withLock { piece in
                defer { piece = nil }
                return piece
            }
        })
        return TransportResponse(head: head, body: body, source: acceptsStale ? .stale : .cache)
    }

    func removeStoredResponses(to request: TransportRequest) async {
        await Task.yield()
        stored[request.url] = nil
    }

    /// Removes everything, as a cache can do at any time.
    func evictAll() { stored.removeAll() }

    /// Returns whether these bytes can be the result of a request for an original.
    static func canReturn(_ data: Data, for image: Int) -> Bool {
        data == SimulatedImage.file(image) || data == garbage
    }
}

/// A transfer. It is open until it fails, is read to its end or is released.
private final class SimulatedTransfer: Sendable {
    private let context: SimulationContext
    private let operation = TaskContext.operation
    private let isOpen = Mutex(true)
    /// Whether it continues after a cancellation.
    private let ignoresCancellation: Bool

    init(_ context: SimulationContext) {
        self.context = context
        ignoresCancellation = context.draw(4) == 0
        if let operation { context.record { $0.transferStarted(operation) } }
    }

    deinit { close() }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen, let operation { context.update { $0.transferEnded(operation) } }
    }

    func failure(_ failure: TransportError) -> TransportError {
        close()
        return failure
    }

    /// Waits for a few steps, or a second of the clock.
    func latency() async throws(TransportError) {
        if context.draw(12) == 0 { try? await context.clock.sleep(for: .seconds(1)) }
        for _ in 0..<context.draw(5) { await Task.yield() }
        if Task.isCancelled, !ignoresCancellation { throw failure(.cancelled) }
    }

    /// - Parameter onEnd: Called when the body has been read to its end.
    func response(
        _ status: HTTPResponse.Status, _ body: Data, to request: TransportRequest,
        onEnd: @escaping @Sendable () -> Void = {}
    ) -> TransportResponse {
        let pieces = Mutex(cut(body)[...])
        let breaksOff = context.draw(15) == 0
        let head = ResponseHead(status: status, url: request.url, expectedByteCount: body.count)
        let pull: @Sendable () async throws(TransportError) -> Data? = { () async throws(TransportError) in
            try await self.latency()
            if let piece = pieces.withLock({ $0.popFirst() }) { return piece }
            if breaksOff { throw self.failure(.closedEarly(received: 0, expected: nil)) }
            onEnd()
            self.close()
            return nil
        }
        return TransportResponse(head: head, body: TransportBody(pull: pull, abandon: { self.close() }))
    }

    private func cut(_ body: Data) -> [Data] {
        let length = 1 + context.draw(20)
        return stride(from: 0, to: body.count, by: length).map { body[$0..<min($0 + length, body.count)] }
    }
}
