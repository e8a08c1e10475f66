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
            throw ImageError.network(.other, "loaded \(loaded.decoded.bitmap.size)")
        } catch {
            #expect(test.kinds.last == .failed(error))
            return error
        }
    }

    @Test("404 and 410 are reported as notFound", arguments: HTTPTransport.allCases, [404, 410])
    func notFound(_ http: HTTPTransport, status: Int) async throws {
        #expect(try await error(http, from: .response(status: status)) == .notFound)
    }

    @Test("a refused connection is reported", arguments: HTTPTransport.allCases)
    func refused(_ http: HTTPTransport) async throws {
        let port = try RefusingPort()
        let url = try #require(URL(string: "http://127.0.0.1:\(port.port)/a.jpg"))
        #expect(try await error(http, at: url).description.hasPrefix("network (connectionRefused)"))
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
                let error = await #expect(throws: ImageError.self) {
                    try await test.loader.image(for: ImageRequest(url: server.url("/a.jpg")))
                }
                #expect(error?.description.hasPrefix("network (truncatedBody)") == true)
            }
            #expect(server.requestCount == 2, "a broken body must not be cached")
        }
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
            let test = TestLoader(http) { $0.transferOptions.bodyByteLimit = 4_999 }
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
        let test = TestLoader(http) { $0.decodingLimits.maxPixels = 1_199 }
        await #expect(throws: ImageError.decoding(.limitExceeded(.pixels, value: 1_200, allowed: 1_199))) {
            try await test.loader.image(for: ImageRequest(url: server.url("/a.png")))
        }
    }
}
