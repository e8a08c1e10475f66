import Foundation
import HTTPTransports
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTransporting
import LoopbackServer
import Testing

/// One way in which an origin misbehaves, and what it is to end in.
struct OriginFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [LoopbackStep]
    let isExpected: @Sendable (ImageError) -> Bool

    private init(
        _ name: String, _ steps: [LoopbackStep], endsIn kind: ImageError.NetworkFailure, naming text: String? = nil
    ) {
        self.init(name, steps) { error in
            guard case .network(kind, let told) = error else { return false }
            return text.map { told.contains($0) } ?? true
        }
    }

    private init(_ name: String, _ steps: [LoopbackStep], _ isExpected: @escaping @Sendable (ImageError) -> Bool) {
        testDescription = name
        self.steps = steps
        self.isExpected = isExpected
    }

    private static let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n"
    private static func status(_ code: Int) -> @Sendable (ImageError) -> Bool {
        { error in if case .httpStatus(code) = error { true } else { false } }
    }

    static let all: [OriginFault] = [
        OriginFault(
            "Content-Length too long", [.text(head + "Content-Length: 9\r\n\r\n1234"), .close], endsIn: .truncatedBody),
        OriginFault(
            "a chunk that is cut", [.text(head + "Transfer-Encoding: chunked\r\n\r\n9\r\n1234"), .close],
            endsIn: .truncatedBody),
        OriginFault(
            "no last chunk", [.text(head + "Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n"), .close],
            endsIn: .truncatedBody),
        OriginFault("a reset before the head", [.reset], endsIn: .connectionLost),
        OriginFault("a reset inside the head", [.text("HTTP/1.1 200 OK\r\nConte"), .reset], endsIn: .connectionLost),
        OriginFault(
            "a reset inside the body", [.text(head + "Content-Length: 9\r\n\r\n1234"), .reset], endsIn: .truncatedBody),
        OriginFault("silence before the head", [.awaitDisconnect], endsIn: .timedOut, naming: "head"),
        OriginFault(
            "silence inside the body", [.text(head + "Content-Length: 9\r\n\r\n1234"), .awaitDisconnect],
            endsIn: .timedOut, naming: "body"),
        OriginFault("a redirect in a circle", [.text(redirect(to: "/bad"))], endsIn: .redirect, naming: "loop"),
        OriginFault("a redirect to a file", [.text(redirect(to: "file:///etc/hostname"))], endsIn: .redirect),
        OriginFault(
            "a part that nobody asked for",
            [.text("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-3/9\r\nContent-Length: 4\r\n\r\n1234")], status(206)),
        OriginFault("304 without a condition", [.text("HTTP/1.1 304 Not Modified\r\n\r\n")], status(304)),
        OriginFault(
            "a head of a megabyte in one line",
            [.text("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 1 << 20))\r\n\r\n"), .close],
            endsIn: .malformedResponse, naming: "head"),
        OriginFault("no HTTP at all", [.text("ready to serve\r\n\r\n"), .close], endsIn: .malformedResponse),
        OriginFault(
            "a body that is not coded as it says",
            [.text(head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n1234")], endsIn: .malformedResponse),
    ]

    private static func redirect(to location: String) -> String {
        LoopbackReply.head(status: 302, headers: ["Location": location, "Content-Length": "0"])
    }
}

@Suite("What origins do wrong", .timeLimit(.minutes(10)))
struct FaultListTests {
    @Test(
        "each fault ends in an error of its own, nothing of it is kept, and others are served meanwhile",
        arguments: HTTPTransport.allCases, OriginFault.all)
    func fault(_ http: HTTPTransport, _ fault: OriginFault) async throws {
        let png = try Images.png(40, 30)
        let server = try LoopbackServer { $0.path == "/good" ? .ok(png) : .steps(fault.steps) }
        let test = TestLoader(http) { $0.transferLimits.stallTimeout = .seconds(1) }
        let bad = Task { await error(of: test, server.url("/bad")) }
        #expect(try await test.loader.image(for: ImageRequest(url: server.url("/good"))).source == .network)
        let first = await bad.value
        #expect(first.map(fault.isExpected) == true, "\(String(describing: first))")
        let asked = server.requestCount
        let second = await error(of: test, server.url("/bad"))
        #expect(second.map(fault.isExpected) == true, "\(String(describing: second))")
        #expect(server.requestCount > asked, "something of it was kept")
    }

    private func error(of test: TestLoader, _ url: URL) async -> ImageError? {
        do throws(ImageError) {
            _ = try await test.loader.data(for: ImageRequest(url: url))
            return nil
        } catch {
            return error
        }
    }
}
