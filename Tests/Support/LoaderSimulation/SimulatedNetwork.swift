import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Synchronization

/// The origins and the cache in front of them: slow, failing, and at times deaf to cancellation, as chance has it.
final class SimulatedNetwork: DataTransport, ResponseCache {
    private let world: World
    private let stored = Stored()

    init(world: World) { self.world = world }

    private final class Stored: Sendable {
        private let bodies = Mutex<[URL: Data]>([:])

        subscript(url: URL) -> Data? {
            get { bodies.withLock { $0[url] } }
            set { bodies.withLock { $0[url] = newValue } }
        }

        func removeAll() { bodies.withLock { $0 = [:] } }
    }

    /// What is no picture, though a response that says nothing of it.
    static let garbage = Data(repeating: 0x2A, count: SimulatedPicture.byteCount)

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let run = Surroundings.run
        let transfer = SimulatedTransfer(world: world, run: run)
        try await transfer.latency()
        switch world.draw(20) {
        case 0: throw transfer.failure(.connectionLost("simulated"))
        case 1: throw transfer.failure(.timedOut(.head))
        case 2: return transfer.response(.init(code: [404, 500, 503][world.draw(3)]), Data(), to: request)
        case 3: return transfer.response(.ok, Self.garbage, to: request)
        default: break
        }
        let picture = SimulatedPicture.file(Int(request.url.lastPathComponent) ?? 0)
        return transfer.response(.ok, picture, to: request) { [stored] in
            if request.cacheUse != .bypass { stored[request.url] = picture }
        }
    }

    func storedResponse(
        to request: TransportRequest, acceptsStale: Bool
    ) async throws(CacheMiss) -> TransportResponse {
        for _ in 0..<world.draw(3) { await Task.yield() }
        guard var data = stored[request.url] else { throw .absent }
        let chance = world.draw(10)
        if chance == 0, !acceptsStale { throw .outOfDate }
        if chance == 1 { data = Self.garbage }
        let head = ResponseHead(status: .ok, url: request.url, expectedBytes: data.count)
        let piece = Mutex<Data?>(data)
        let body = TransportBody(pull: { () async throws(TransportFailure) in
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

    /// Forgets everything, as a cache may.
    func evictAll() { stored.removeAll() }

    /// Whether bytes are those of a picture, or what was simulated in their place.
    static func mayAnswer(_ data: Data, _ number: Int) -> Bool {
        data == SimulatedPicture.file(number) || data == garbage
    }
}

/// One transfer; it is open until it has failed, has been read to its end or has been dropped.
private final class SimulatedTransfer: Sendable {
    private let world: World
    private let run: RunID?
    private let isOpen = Mutex(true)
    /// Whether it takes no notice of cancellation, as work may that winds down.
    private let isDeaf: Bool

    init(world: World, run: RunID?) {
        self.world = world
        self.run = run
        isDeaf = world.draw(4) == 0
        if let run { world.note { $0.books.transferBegan(run) } }
    }

    deinit { close() }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen, let run { world.note { $0.books.transferEnded(run) } }
    }

    func failure(_ failure: TransportFailure) -> TransportFailure {
        close()
        return failure
    }

    /// Some steps, or a time on the clock.
    func latency() async throws(TransportFailure) {
        if world.draw(12) == 0 { try? await world.clock.sleep(for: .seconds(1)) }
        for _ in 0..<world.draw(5) { await Task.yield() }
        if Task.isCancelled, !isDeaf { throw failure(.cancelled) }
    }

    /// - Parameter onEnd: called when the body has been read to its end.
    func response(
        _ status: HTTPResponse.Status, _ body: Data, to request: TransportRequest,
        onEnd: @escaping @Sendable () -> Void = {}
    ) -> TransportResponse {
        let pieces = Mutex(cut(body)[...])
        let breaksOff = world.draw(15) == 0
        let head = ResponseHead(status: status, url: request.url, expectedBytes: body.count)
        let pull: @Sendable () async throws(TransportFailure) -> Data? = { () async throws(TransportFailure) in
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
        let length = 1 + world.draw(20)
        return stride(from: 0, to: body.count, by: length).map { body[$0..<min($0 + length, body.count)] }
    }
}
