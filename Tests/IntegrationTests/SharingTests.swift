import Foundation
import HTTPTransports
import ImageCore
import ImageLoading
import ImageTesting
import LoopbackServer
import Testing

@Suite("Sharing, over real sockets", .timeLimit(.minutes(10)))
struct SharingTests {
    /// Serves a JPEG. Sends the head and the first hundred bytes at once, and the rest after the signal.
    private func heldServer(_ signal: LoopbackSignal) throws -> LoopbackServer {
        let jpeg = try Images.jpeg(400, 300)
        let head = LoopbackReply.head(status: 200, headers: ["Content-Length": "\(jpeg.count)"])
        return try LoopbackServer { _ in
            .steps([.text(head), .bytes(Array(jpeg[..<100])), .wait(signal), .bytes(Array(jpeg[100...]))])
        }
    }

    @Test("200 requests for one URL send one HTTP request and return 200 images", arguments: HTTPTransport.allCases)
    func manyWaiters(_ http: HTTPTransport) async throws {
        let signal = LoopbackSignal()
        let server = try heldServer(signal)
        let test = TestLoader(http)
        let request = ImageRequest(server.url("/a.jpg"), fit: 100)
        let sizes = try await withThrowingTaskGroup(of: PixelSize.self) { group in
            for _ in 0..<200 { group.addTask { try await test.loader.image(for: request).decoded.bitmap.size } }
            await test.observer.waitUntil { events in events.count { $0.kind == .memoryMiss(.absent) } == 200 }
            await signal.arrivals(1)
            signal.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sizes == Array(repeating: PixelSize(width: 100, height: 75), count: 200))
        #expect(server.requestCount == 1)
    }

    @Test(
        "two sizes of one URL are one download and two images", arguments: HTTPTransport.allCases,
        [ImageCachePolicy.all, .memoryOnly, .diskOnly, .disabled])
    func twoSizes(_ http: HTTPTransport, policy: ImageCachePolicy) async throws {
        let signal = LoopbackSignal()
        let server = try heldServer(signal)
        let test = TestLoader(http)
        async let small = test.loader.image(for: ImageRequest(server.url("/a.jpg"), fit: 40, policy))
        await signal.arrivals(1)
        let (imageHasJoined, dataHasJoined) = (TestGate(), TestGate())
        async let large = test.loader.image(for: ImageRequest(server.url("/a.jpg"), fit: 200, policy)) { _ in
            imageHasJoined.open()
        }
        async let data = test.loader.data(for: ImageRequest(url: server.url("/a.jpg"), cachePolicy: policy)) { _ in
            dataHasJoined.open()
        }
        for gate in [imageHasJoined, dataHasJoined] { await gate.whenOpen() }
        signal.open()
        #expect(try await small.decoded.bitmap.size == PixelSize(width: 40, height: 30))
        #expect(try await large.decoded.bitmap.size == PixelSize(width: 200, height: 150))
        #expect(try await !data.data.isEmpty)
        #expect(server.requestCount == 1)
    }

    @Test("cancelling all callers closes the connection", arguments: HTTPTransport.allCases)
    func allLeave(_ http: HTTPTransport) async throws {
        let signal = LoopbackSignal()
        let server = try heldServer(signal)
        let test = TestLoader(http)
        let request = ImageRequest(server.url("/a.jpg"), fit: 100)
        let waiters = (0..<20).map { _ in Task { try await test.loader.image(for: request) } }
        await test.observer.waitUntil { events in events.count { $0.kind == .memoryMiss(.absent) } == 20 }
        await signal.arrivals(1)
        for waiter in waiters { waiter.cancel() }
        await server.abandonments(1)
        for waiter in waiters { await #expect(throws: ImageError.cancelled) { try await waiter.value } }
        #expect(test.kinds.count { $0 == .cancelled } == 20)
    }
}
