import Foundation
import HTTPTransports
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTesting
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Failures, over real sockets", .timeLimit(.minutes(10)))
struct FailureTests {
    private func error(_ http: HTTPTransport, from reply: LoopbackReply) async throws -> ImageError {
        let server = try LoopbackServer { _ in reply }
        return try await error(http, at: server.url("/a.jpg"))
    }

    private func error(_ http: HTTPTransport, at url: URL) async throws -> ImageError {
        let test = TestLoader(http)
        do throws(ImageError) {
            let loaded = try await test.loader.image(for: ImageRequest(url: url))
            throw ImageError.processing(identifier: "test", "loaded \(loaded.image.bitmap.size)")
        } catch {
            #expect(test.kinds.last == .failed(error.description))
            return error
        }
    }

    @Test("404 and 410 are reported as notFound", arguments: HTTPTransport.allCases, [404, 410])
    func notFound(_ http: HTTPTransport, status: Int) async throws {
        guard case .notFound = try await error(http, from: .response(status: status)) else {
            Issue.record("not notFound")
            return
        }
    }

    @Test(
        "other statuses are reported as is", arguments: HTTPTransport.allCases,
        [401, 403, 418, 500, 503, 204, 205, 206, 300, 304])
    func status(_ http: HTTPTransport, status: Int) async throws {
        guard case .httpStatus(status) = try await error(http, from: .response(status: status)) else {
            Issue.record("not httpStatus(\(status))")
            return
        }
    }

    @Test("a refused connection is reported", arguments: HTTPTransport.allCases)
    func refused(_ http: HTTPTransport) async throws {
        let port = try RefusingPort()
        let url = try #require(URL(string: "http://127.0.0.1:\(port.port)/a.jpg"))
        guard case .network(.connectionRefused, _) = try await error(http, at: url) else {
            Issue.record("not connectionRefused")
            return
        }
    }

    @Test(
        "a body that is too short or ends within a chunk is reported as truncated and never cached",
        arguments: HTTPTransport.allCases)
    func truncated(_ http: HTTPTransport) async throws {
        let jpeg = try Images.jpeg(400, 300)
        let head = LoopbackReply.head(status: 200, headers: ["Content-Length": "\(jpeg.count)"])
        let chunked = LoopbackReply.head(status: 200, headers: ["Transfer-Encoding": "chunked"])
        let replies: [LoopbackReply] = [
            .steps([.text(head), .bytes(Array(jpeg.dropLast(10))), .close]),
            .steps([.text(chunked), .bytes(LoopbackReply.chunk(jpeg)), .close]),
        ]
        for reply in replies {
            let server = try LoopbackServer { _ in reply }
            let test = TestLoader(http)
            for _ in 0..<2 {
                let result = await Task { try await test.loader.image(for: ImageRequest(url: server.url("/a.jpg"))) }
                    .result
                guard case .failure(ImageError.network(.truncatedBody, _)) = result else {
                    Issue.record("ended with \(result)")
                    return
                }
            }
            #expect(server.requestCount == 2, "a broken body must not be cached")
        }
    }

    @Test(
        "undecodable bytes are a decoding error, and the next request uses the network again",
        arguments: HTTPTransport.allCases)
    func notAImage(_ http: HTTPTransport) async throws {
        let png = try Images.png(40, 30)
        let replies = Counter()
        let server = try LoopbackServer { _ in replies.next() == 0 ? .ok("<html>log in</html>".utf8) : .ok(png) }
        let test = TestLoader(http)
        let request = ImageRequest(url: server.url("/a.png"))
        let result = await Task { try await test.loader.image(for: request) }.result
        guard case .failure(ImageError.decoding(.unknownFormat)) = result else {
            Issue.record("ended with \(result)")
            return
        }
        #expect(try await test.loader.image(for: request).source == .network)
    }

    @Test("an undecodable image on disk is fetched again", arguments: HTTPTransport.allCases)
    func damagedOnDisk(_ http: HTTPTransport) async throws {
        let png = try Images.png(40, 30)
        let replies = Counter()
        let server = try LoopbackServer { _ in
            .ok(replies.next() == 0 ? png.prefix(60) : png[...], headers: Images.fresh)
        }
        let test = TestLoader(http)
        let request = ImageRequest(server.url("/a.png"), fit: 20, .diskOnly)
        _ = try await test.loader.data(for: request)  // stored without decoding
        #expect(try await test.loader.image(for: request).source == .network)
        #expect(try await test.loader.image(for: request).source == .disk)
        #expect(server.requestCount == 2)
    }

    @Test("an unwritable disk cache reports an event, and the image still loads", arguments: HTTPTransport.allCases)
    func brokenDisk(_ http: HTTPTransport) async throws {
        let png = try Images.png(40, 30)
        let server = try LoopbackServer { _ in .ok(png) }
        let blocked = FileManager.default.temporaryDirectory.appending(path: "blocked-\(UUID().uuidString)")
        try Data("a file at the folder's path".utf8).write(to: blocked)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: blocked) } }
        let test = TestLoader(http, folder: blocked)
        #expect(try await test.loader.image(for: ImageRequest(url: server.url("/a.png"))).source == .network)
        #expect(test.kinds.contains { if case .diskFailed = $0 { true } else { false } })
    }

    @Test("a body above the limit is rejected, with or without Content-Length", arguments: HTTPTransport.allCases)
    func tooLarge(_ http: HTTPTransport) async throws {
        let body = [UInt8](repeating: 7, count: 5_000)
        for reply in [LoopbackReply.ok(body), .chunked([body])] {
            let server = try LoopbackServer { _ in reply }
            let test = TestLoader(http) { $0.transferLimits.maxBodyBytes = 4_999 }
            let result = await Task { try await test.loader.data(for: ImageRequest(url: server.url("/a"))) }.result
            guard case .failure(ImageError.tooLarge(4_999)) = result else {
                Issue.record("ended with \(result)")
                return
            }
        }
    }

    @Test("an image above the pixel limit is a typed error", arguments: HTTPTransport.allCases)
    func tooManyPixels(_ http: HTTPTransport) async throws {
        let png = try Images.png(40, 30)
        let server = try LoopbackServer { _ in .ok(png) }
        let test = TestLoader(http) { $0.decodingLimits.pixels = 1_199 }
        let result = await Task { try await test.loader.image(for: ImageRequest(url: server.url("/a.png"))) }.result
        guard case .failure(ImageError.decoding(.limitExceeded(.pixels, 1_200, 1_199))) = result else {
            Issue.record("ended with \(result)")
            return
        }
    }

    @Test(
        "URLs that can't be loaded are reported as invalid", arguments: HTTPTransport.allCases,
        ["gopher://h/a", "relative/path", "http:///a"])
    func invalidURL(_ http: HTTPTransport, text: String) async throws {
        guard case .invalidURL = try await error(http, at: try #require(URL(string: text))) else {
            Issue.record("not invalidURL")
            return
        }
    }

    @Test("a transient failure is retried", arguments: HTTPTransport.allCases)
    func retry(_ http: HTTPTransport) async throws {
        let png = try Images.png(40, 30)
        let replies = Counter()
        let server = try LoopbackServer { _ in replies.next() < 2 ? .response(status: 503) : .ok(png) }
        var configuration = TestLoader.configuration(http, retries: 2)
        let clock = ManualClock()
        configuration.clock = clock
        let loader = ImageLoader(configuration)
        let task = Task { try await loader.image(for: ImageRequest(url: server.url("/a.png"))) }
        for _ in 0..<2 {
            await clock.sleepers(1)
            clock.advance(by: .seconds(60))
        }
        #expect(try await task.value.source == .network)
        #expect(server.requestCount == 3)
    }
}
