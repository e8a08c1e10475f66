import HTTPTypes
import ImageTesting
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DataTransportContract {
    /// The rules for transports with a server.
    public static var networkRules: [ContractRule<Subject>] { responses + redirects + cancellations }

    /// The rules about backpressure. Fixtures need `sentByteCount`.
    public static var backpressureRules: [ContractRule<Subject>] {
        [
            ContractRule("while the consumer requests no bytes, the transport stops reading, and no byte is lost") {
                makeFixture in
                let body = [[UInt8]](repeating: bytes(1 << 16), count: 512)
                var server = Server()
                server.pieces = body
                server.announcedByteCount = 512 << 16
                let fixture = try await makeFixture(server)
                guard let sentByteCount = fixture.sentByteCount else {
                    throw ContractViolation("the fixture has no sentByteCount")
                }
                let response = try await fixture.transport.send(request(fixture))
                // A transport without backpressure reads on during these requests.
                for _ in 0..<200 { _ = try await fixture.transport.send(request(fixture, method: .head)) }
                try expect(sentByteCount() < 16 << 20, "\(sentByteCount()) bytes were sent without a request for them")
                var received = 0
                for try await piece in response.body { received += piece.count }
                try expect(received == 512 << 16, "\(received) bytes arrived")
            }
        ]
    }

    private static var responses: [ContractRule<Subject>] {
        [
            ContractRule("a response with any status is returned, not thrown") { makeFixture in
                for status in [204, 304, 404, 410, 500, 503] {
                    var server = announced(status == 204 || status == 304 ? [] : [1, 2])
                    server.status = status
                    let answer = try await fetch(try await makeFixture(server))
                    try expect(answer.head.status.code == status, "\(answer.head.status) for \(status)")
                }
            },
            ContractRule("a body without an announced length arrives complete") { makeFixture in
                var server = Server()
                server.pieces = [bytes(10), bytes(40_000), bytes(1)]
                let answer = try await fetch(try await makeFixture(server))
                try expect(answer, hasBody: Array(server.pieces.joined()))
                try expect(answer.head.expectedByteCount == nil, "the head has a length that was not announced")
            },
            ContractRule("a body without an announced length that exceeds the limit fails as too large") {
                makeFixture in
                var server = Server()
                server.pieces = [bytes(2_500), bytes(2_501)]
                let failure = await failure(of: try await makeFixture(server), bodyByteLimit: 5_000)
                try expect(failure == .tooLarge(byteLimit: 5_000), describe(failure))
            },
            ContractRule("a body shorter than announced fails as closed early, with the number of bytes") {
                makeFixture in
                var server = announced(bytes(100))
                server.announcedByteCount = 1_000
                server.ending = .disconnect
                let failure = await failure(of: try await makeFixture(server))
                try expect(failure == .closedEarly(received: 100, expected: 1_000), describe(failure))
            },
            ContractRule("a body without an announced length that is cut off fails as closed early") { makeFixture in
                var server = Server()
                server.pieces = [bytes(100)]
                server.ending = .disconnect
                let failure = await failure(of: try await makeFixture(server))
                try expect(failure == .closedEarly(received: 100, expected: nil), describe(failure))
            },
        ]
    }

    private static var redirects: [ContractRule<Subject>] {
        [
            ContractRule("redirects within the limit are followed, and the response has the last URL") { makeFixture in
                var server = announced([1, 2, 3])
                server.redirects = 3
                let fixture = try await makeFixture(server)
                let answer = try await fetch(fixture)
                try expect(answer, hasBody: [1, 2, 3])
                try expect(answer.head.url != fixture.url, "the response has the first URL")
            },
            ContractRule("more redirects than allowed fail as too many") { makeFixture in
                var server = announced([1])
                server.redirects = 3
                let failure = await failure(of: try await makeFixture(server), maxRedirects: 2)
                try expect(failure == .tooManyRedirects(2), describe(failure))
            },
            ContractRule("a redirect to a URL that was requested before fails as a loop") { makeFixture in
                var server = announced([1])
                server.location = "/0"
                let failure = await failure(of: try await makeFixture(server))
                guard case .redirectLoop = failure else { throw ContractViolation(describe(failure)) }
            },
            ContractRule("a redirect is returned to callers that follow redirects themselves") { makeFixture in
                var server = announced([1])
                server.redirects = 1
                let fixture = try await makeFixture(server)
                var request = request(fixture)
                request.followsRedirects = false
                let head = try await fixture.transport.send(request).head
                try expect(head.headers[.location] == "/1", "the response is \(head.status), \(head.headers)")
            },
            ContractRule("a redirect to a file URL is blocked") { makeFixture in
                var server = announced([1])
                server.location = "file:///etc/hostname"
                let failure = await failure(of: try await makeFixture(server))
                guard case .blockedRedirect = failure else { throw ContractViolation(describe(failure)) }
            },
        ]
    }

    private static var cancellations: [ContractRule<Subject>] {
        [
            ContractRule("cancelling while the head is awaited throws cancelled and ends the transfer") { makeFixture in
                var server = Server()
                server.isSilentBeforeHead = true
                try await expectCancellation(try await makeFixture(server))
            },
            ContractRule("cancelling while the body is awaited throws cancelled and ends the transfer") { makeFixture in
                var server = announced(bytes(100))
                server.announcedByteCount = 1_000
                server.ending = .stall
                try await expectCancellation(try await makeFixture(server))
            },
            ContractRule("releasing an unfinished body ends the transfer") { makeFixture in
                var server = announced(bytes(100))
                server.announcedByteCount = 1_000
                server.ending = .stall
                let fixture = try await makeFixture(server)
                do { _ = try await fixture.transport.send(request(fixture)) }
                try expect(await becomesTrue { fixture.cancellationCount() == 1 }, "the client keeps the connection")
            },
        ]
    }

    private static func expectCancellation(_ fixture: Fixture) async throws {
        let ending = MessageLog<TransportError?>()
        let task = Task { ending.append(await failure(of: fixture)) }
        let hasArrived = await becomesTrue { fixture.requestCount() == 1 }
        try expect(hasArrived, "no request arrived")
        task.cancel()
        let hasEnded = await becomesTrue { ending.messages.count == 1 }
        try expect(hasEnded, "the task keeps waiting")
        try expect(ending.messages == [.cancelled], describe(ending.messages.first ?? nil))
        let hasLeft = await becomesTrue { fixture.cancellationCount() == 1 }
        try expect(hasLeft, "the client keeps the connection")
    }
}
