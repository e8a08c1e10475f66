import Foundation
import HTTPTransports
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTransporting
import LoopbackServer
import Testing

/// A misbehavior of an origin, and the expected error.
struct OriginFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [LoopbackStep]
    let isExpected: @Sendable (ImageError) -> Bool

    private init(
        _ name: String, _ steps: [LoopbackStep], endsIn kind: NetworkFailure.Kind, naming text: String? = nil
    ) {
        self.init(name, steps) { error in
            guard case .network(let failure) = error, failure.kind == kind else { return false }
            return text.map { failure.reason.contains($0) } ?? true
        }
    }

    private init(_ name: String, _ steps: [LoopbackStep], _ isExpected: @escaping @Sendable (ImageError) -> Bool) {
        testDescription = name
        self.steps = steps
        self.isExpected = isExpected
    }

    private static let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n"
    private static func status(_ code: Int) -> @Sendable (ImageError) -> Bool {
        { error in if case .httpStatus(code, _) = error { true } else { false } }
    }

    static let all: [OriginFault] = [
        OriginFault(
            "Content-Length too long", [.text(head + "Content-Length: 9\r\n\r\n1234"), .close], endsIn: .truncatedBody),
        OriginFault(
            "a truncated chunk", [.text(head + "Transfer-Encoding: chunked\r\n\r\n9\r\n1234"), .close],
            endsIn: .truncatedBody),
        OriginFault(
            "no last chunk", [.text(head + "Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n"), .close],
            endsIn: .truncatedBody),
        OriginFault("a reset before the head", [.reset], endsIn: .connectionLost),
        OriginFault("a reset inside the head", [.text("HTTP/1.1 200 OK\r\nConte"), .reset], endsIn: .connectionLost),
        OriginFault(
            "a reset inside the body", [.text(head + "Content-Length: 9\r\n\r\n1234"), .reset], endsIn: .truncatedBody),
        OriginFault("no response head", [.awaitDisconnect], endsIn: .timedOut, naming: "head"),
        OriginFault(
            "an incomplete body without further bytes",
            [.text(head + "Content-Length: 9\r\n\r\n1234"), .awaitDisconnect],
            endsIn: .timedOut, naming: "body"),
        OriginFault("a redirect loop", [.text(redirect(to: "/bad"))], endsIn: .redirect, naming: "loop"),
        OriginFault("a redirect to a file", [.text(redirect(to: "file:///etc/hostname"))], endsIn: .redirect),
        OriginFault(
            "an unrequested 206 response",
            [.text("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-3/9\r\nContent-Length: 4\r\n\r\n1234")], status(206)),
        OriginFault("304 without a condition", [.text("HTTP/1.1 304 Not Modified\r\n\r\n")], status(304)),
        OriginFault(
            "a head of a megabyte in one line",
            [.text("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 1 << 20))\r\n\r\n"), .close],
            endsIn: .malformedResponse, naming: "head"),
        OriginFault(
            "a response that isn't HTTP", [.text("ready to serve\r\n\r\n"), .close], endsIn: .malformedResponse),
        OriginFault(
            "a body with a wrong Content-Encoding",
            [.text(head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n1234")], endsIn: .malformedResponse),
    ]

    private static func redirect(to location: String) -> String {
        LoopbackReply.head(status: 302, headers: ["Location": location, "Content-Length": "0"])
    }
}

@Suite("Faults of origins", .timeLimit(.minutes(10)))
struct FaultListTests {
    @Test(
        "each fault ends with its error, isn't cached, and doesn't affect other requests",
        arguments: HTTPTransport.allCases, OriginFault.all)
    func fault(_ http: HTTPTransport, _ fault: OriginFault) async throws {
        let png = try Images.png(40, 30)
        let server = try LoopbackServer { $0.path == "/good" ? .ok(png) : .steps(fault.steps) }
        let test = TestLoader(http) { $0.transferOptions.stallTimeout = .seconds(1) }
        let bad = Task { await test.failure(ImageRequest(url: server.url("/bad"))) }
        #expect(try await test.loader.image(for: ImageRequest(url: server.url("/good"))).source == .network)
        let first = await bad.value
        #expect(first.map(fault.isExpected) == true, "\(String(describing: first))")
        let requestCount = server.requestCount
        let second = await test.failure(ImageRequest(url: server.url("/bad")))
        #expect(second.map(fault.isExpected) == true, "\(String(describing: second))")
        #expect(server.requestCount > requestCount, "the faulty response was cached")
    }
}
