import Foundation
import HTTPTransports
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTesting
import LoopbackServer
import Testing

/// What a loader tells a server about itself, over a real connection.
@Suite("Hints for the server", .timeLimit(.minutes(10)))
struct RequestHintTests {
    private func loader(_ hints: RequestHints? = nil, folder: URL? = nil) -> TestLoader {
        TestLoader(HTTPTransport.allCases[0], folder: folder) { options in
            if let hints { options.requestHints = hints }
        }
    }

    private func server(_ headers: [String: String] = [:]) throws -> LoopbackServer {
        let jpeg = try Images.jpeg(40, 30)
        return try LoopbackServer { _ in .ok(jpeg, headers: Images.fresh.merging(headers) { $1 }) }
    }

    @Test("by default, only the priority and the wish for less data are sent, where they differ from the standard")
    func standard() async throws {
        let server = try server()
        let test = loader()
        var request = ImageRequest(url: server.url("/a"))
        _ = try await test.loader.data(for: request)
        request = ImageRequest(url: server.url("/b"), priority: .veryHigh)
        request.isProgressive = true
        request.isLowData = true
        _ = try await test.loader.data(for: request)
        let log = server.log
        #expect(log.map { $0.headers["priority"] } == [nil, "u=1, i"])
        #expect(log.map { $0.headers["save-data"] } == [nil, "on"])
        #expect(log.map { $0.headers["accept"] } == ["*/*", "*/*"])
    }

    @Test("each priority is sent as an urgency, unless the request has the field")
    func urgencies() async throws {
        let server = try server()
        let test = loader()
        for (priority, own) in [(.high, nil), (.low, nil), (.veryLow, nil), (.veryLow, "u=0")]
            as [(RequestPriority, String?)]
        {
            var request = ImageRequest(url: server.url("/\(server.requestCount)"), priority: priority)
            request.headers["Priority"] = own
            _ = try await test.loader.data(for: request)
        }
        #expect(server.log.map { $0.headers["priority"] } == ["u=2", "u=5", "u=7", "u=0"])
    }

    @Test("a stored response whose Vary names the priority is the answer to requests of each priority")
    func storedPriority() async throws {
        let server = try server(["Vary": "Priority"])
        let first = loader()
        _ = try await first.loader.data(for: ImageRequest(url: server.url("/a"), priority: .low))
        let second = loader(folder: first.folder)
        var request = ImageRequest(url: server.url("/a"), priority: .veryHigh)
        request.isProgressive = true
        #expect(try await second.loader.data(for: request).source == .disk)
        #expect(server.log.map { $0.headers["priority"] } == ["u=5"])
    }

    @Test("Accept names the decoders' formats, and another text is another response only where Vary says so")
    func accept() async throws {
        for vary in [nil, "Accept"] {
            let server = try server(vary.map { ["Vary": $0] } ?? [:])
            let test = loader(.formats)
            _ = try await test.loader.data(for: ImageRequest(url: server.url("/a")))
            let accept = try #require(server.log.first?.headers["accept"])
            #expect(accept.contains("image/webp") && !accept.contains("image/x-unknown"))
            let other = loader([], folder: test.folder)
            let source = try await other.loader.data(for: ImageRequest(url: server.url("/a"))).source
            #expect(source == (vary == nil ? .disk : .network))
        }
    }

    @Test("a ThumbHash field is the first preview of a progressive request, and other texts are ignored")
    func placeholder() async throws {
        for (field, expected) in [
            (":3OcRJYB4d3h/iIeHeEh3eIhw+j2w:", true), ("3OcRJYB4d3h/iIeHeEh3eIhw+j2w", false), (":::", false),
        ] {
            let server = try server(["ThumbHash": field])
            var request = ImageRequest(url: server.url("/a"))
            request.isProgressive = true
            var formats: [ImageFormat] = []
            for await event in loader().loader.task(for: request).events {
                if case .preview(let image) = event { formats.append(image.header.format) }
            }
            #expect(formats.contains { $0.rawValue == "thumbhash" } == expected)
        }
    }
}
