import Foundation
import HTTPTypes
import LoopbackServer
import Synchronization
import Testing

@testable import ImageServerKit

@Suite("Watermarks by URL", .timeLimit(.minutes(10)))
struct WatermarkURLTests {
    /// An origin with a source, and a watermark that can change.
    private func makeOrigin(_ watermark: Reply, source: Data) throws -> LoopbackServer {
        try LoopbackServer { request in
            request.path.hasPrefix("/mark") ? watermark.current : .ok(source, headers: ["Cache-Control": "max-age=99"])
        }
    }

    private func option(_ url: URL) -> String { "wmu:\(Base64URL.encode(url.absoluteString.utf8))" }

    private func path(_ options: String, _ origin: LoopbackServer) -> String {
        imagePath("f:png/\(options)", origin.url("/a.png"))
    }

    @Test("draws the image of the URL, loads it once, and keeps results of other watermarks apart")
    func drawing() async throws {
        let reply = Reply(.ok(try Samples.png(8, 8), headers: ["Cache-Control": "max-age=50"]))
        let origin = try makeOrigin(reply, source: try Samples.png())
        try await withServer(origin: origin) { server async throws in
            let mark = option(origin.url("/mark.png"))
            let plain = try await server.send(path("wm:0/\(mark)", origin)).body
            let first = try await server.send(path("wm:1:ea/\(mark)", origin))
            #expect(first.status == 200 && first.body != plain)
            let lifetime = first.headers[.cacheControl]?.split(separator: "=").last.flatMap { Int($0) }
            #expect(lifetime.map { (40...50).contains($0) } == true, "as fresh as the watermark")
            #expect(try await server.send(path("wm:1:we/\(mark)", origin)).body != first.body)
            #expect(origin.log.count { $0.path == "/mark.png" } == 1)
            let other = try Samples.png(4, 4)
            reply.set(.ok(other))
            let second = try await server.send(path("wm:1:ea/\(option(origin.url("/mark2.png")))", origin))
            #expect(second.status == 200 && second.body != first.body && second.body != plain)
        }
    }

    @Test("the settings can have the URL, and the opacity counts")
    func settings() async throws {
        let reply = Reply(.ok(try Samples.png(8, 8)))
        let origin = try makeOrigin(reply, source: try Samples.png())
        let own = ["--watermark-url", origin.url("/mark.png").absoluteString]
        var bodies: [Data] = []
        for settings in [[], own, own + ["--watermark-opacity", "0.5"]] {
            try await withServer(settings, origin: origin) { server async throws in
                let options = settings.isEmpty ? "wm:1/\(option(origin.url("/mark.png")))" : "wm:1"
                bodies.append(try await server.send(path(options, origin)).body)
                #expect(try await server.status(path("wm:1/\(option(origin.url("/mark.png")))", origin)) == 200)
            }
        }
        #expect(bodies[0] == bodies[1] && bodies[1] != bodies[2])
        for flags in [own, ["--watermark-url", "nothing"], own + ["--watermark-path", "/a"]] {
            await #expect(throws: SettingsFailure.self, "the address is not public") {
                try await ServerSettings(
                    arguments: ["--allow-unsigned", "true", "--allowed-sources", "a.org"] + flags, environment: [:],
                    coreCount: 1)
            }
        }
    }

    @Test("a watermark that can't be loaded is an error that says so, whatever the fallback image is")
    func failures() async throws {
        let reply = Reply(.notFound)
        let origin = try makeOrigin(reply, source: try Samples.png())
        let other = try LoopbackServer { _ in .notFound }
        let settings = ["--fallback-image", origin.url("/a.png").absoluteString, "--max-source-pixels", "2048"]
        try await withServer(settings, origin: origin) { server async throws in
            let large = try Samples.png(64, 33)
            let cases: [(LoopbackReply, URL, Int)] = [
                (.notFound, origin.url("/mark1"), 404), (.response(status: 500), origin.url("/mark2"), 502),
                (.ok(Data("no image".utf8)), origin.url("/mark3"), 422), (.ok(large), origin.url("/mark4"), 422),
                (.redirect(to: other.url("/").absoluteString), origin.url("/mark5"), 403),
                (.notFound, other.url("/"), 403), (.notFound, URL(filePath: "/etc/passwd"), 403),
            ]
            for (answer, url, status) in cases {
                reply.set(answer)
                let response = try await server.send(path("wm:1/\(option(url))", origin))
                #expect(response.status == status, "\(url)")
                #expect(String(bytes: response.body, encoding: .utf8)?.hasPrefix("the watermark: ") == true, "\(url)")
            }
            for text in ["wmu:!", "wmu:\(Base64URL.encode("nothing".utf8))", "wmu:a:b"] {
                #expect(try await server.status(path("wm:1/\(text)", origin)) == 404, "\(text)")
            }
        }
        #expect(other.requestCount == 0)
    }

    @Test("a purge of a watermark hides the results that have it")
    func purge() async throws {
        let reply = Reply(.ok(try Samples.png(8, 8), headers: ["Cache-Control": "max-age=50"]))
        let origin = try makeOrigin(reply, source: try Samples.png())
        try await withServer(["--purge-secret", "s"], origin: origin) { server async throws in
            let path = path("wm:1/\(option(origin.url("/mark.png")))", origin)
            let first = try await server.send(path).body
            let changed = try Samples.png(6, 6)
            reply.set(.ok(changed))
            #expect(try await server.send(path).body == first)
            let purge = "/purge/plain/\(origin.url("/mark.png"))"
            #expect(try await server.send(purge, .delete, [.authorization: "Bearer s"]).status == 204)
            #expect(try await server.send(path).body != first)
        }
    }
}

/// What an origin sends now.
private final class Reply: Sendable {
    private let reply: Mutex<LoopbackReply>

    init(_ reply: LoopbackReply) { self.reply = Mutex(reply) }

    var current: LoopbackReply { reply.withLock { $0 } }

    func set(_ reply: LoopbackReply) { self.reply.withLock { $0 = reply } }
}
