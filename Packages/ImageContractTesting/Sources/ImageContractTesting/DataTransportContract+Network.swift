import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DataTransportContract {
    /// Promises of transports that talk to an origin.
    public static var networkRules: [ContractRule<Subject>] { answers + redirections + departures }

    /// Promises about the pace; the fixture must know `sentBytes`.
    public static var flowRules: [ContractRule<Subject>] {
        [
            ContractRule("while nobody asks for bytes, the origin is held back, and nothing is lost by it") {
                makeFixture in
                let body = [[UInt8]](repeating: bytes(1 << 16), count: 512)
                var origin = Origin()
                origin.pieces = body
                origin.announcedBytes = 512 << 16
                let fixture = try await makeFixture(origin)
                guard let sentBytes = fixture.sentBytes else {
                    throw ContractViolation("the fixture does not know sentBytes")
                }
                let response = try await fixture.transport.send(request(fixture))
                // Other requests pass the time, in which a transport without bounds would read on.
                for _ in 0..<200 { _ = try await fixture.transport.send(request(fixture, method: .head)) }
                try expect(sentBytes() < 16 << 20, "\(sentBytes()) bytes were sent to nobody")
                var received = 0
                for try await piece in response.body { received += piece.count }
                try expect(received == 512 << 16, "\(received) bytes arrived in the end")
            }
        ]
    }

    private static var answers: [ContractRule<Subject>] {
        [
            ContractRule("any status is a response") { makeFixture in
                for status in [204, 304, 404, 410, 500, 503] {
                    var origin = announced(status == 204 || status == 304 ? [] : [1, 2])
                    origin.status = status
                    let answer = try await fetch(try await makeFixture(origin))
                    try expect(answer.head.status.code == status, "\(answer.head.status) for \(status)")
                }
            },
            ContractRule("a body whose length was not told arrives whole") { makeFixture in
                var origin = Origin()
                origin.pieces = [bytes(10), bytes(40_000), bytes(1)]
                let answer = try await fetch(try await makeFixture(origin))
                try expect(answer.body == Data(origin.pieces.joined()), "\(answer.body.count) bytes, or other ones")
                try expect(answer.head.expectedBytes == nil, "a length was made up")
            },
            ContractRule("a body larger than the limit is too large also when its length was not told") { makeFixture in
                var origin = Origin()
                origin.pieces = [bytes(2_500), bytes(2_501)]
                let failure = await failure(of: try await makeFixture(origin), maxBodyBytes: 5_000)
                try expect(failure == .tooLarge(allowedBytes: 5_000), describe(failure))
            },
            ContractRule("a body shorter than announced is closed early, and the bytes are counted") { makeFixture in
                var origin = announced(bytes(100))
                origin.announcedBytes = 1_000
                origin.ending = .cut
                let failure = await failure(of: try await makeFixture(origin))
                try expect(failure == .closedEarly(received: 100, expected: 1_000), describe(failure))
            },
            ContractRule("a body cut off without a length is closed early") { makeFixture in
                var origin = Origin()
                origin.pieces = [bytes(100)]
                origin.ending = .cut
                let failure = await failure(of: try await makeFixture(origin))
                try expect(failure == .closedEarly(received: 100, expected: nil), describe(failure))
            },
        ]
    }

    private static var redirections: [ContractRule<Subject>] {
        [
            ContractRule("redirects are followed within the limit, and the last address is told") { makeFixture in
                var origin = announced([1, 2, 3])
                origin.redirects = 3
                let fixture = try await makeFixture(origin)
                let answer = try await fetch(fixture)
                try expect(answer.body == Data([1, 2, 3]), "another body")
                try expect(answer.head.url != fixture.url, "the first address was told")
            },
            ContractRule("more redirects than allowed are too many") { makeFixture in
                var origin = announced([1])
                origin.redirects = 3
                let failure = await failure(of: try await makeFixture(origin), maxRedirects: 2)
                try expect(failure == .tooManyRedirects(2), describe(failure))
            },
            ContractRule("a redirect to an address that was asked before is a loop") { makeFixture in
                var origin = announced([1])
                origin.location = "/0"
                let failure = await failure(of: try await makeFixture(origin))
                guard case .redirectLoop = failure else { throw ContractViolation(describe(failure)) }
            },
            ContractRule("a redirect is returned to callers that follow redirects themselves") { makeFixture in
                var origin = announced([1])
                origin.redirects = 1
                let fixture = try await makeFixture(origin)
                var request = request(fixture)
                request.followsRedirects = false
                let head = try await fixture.transport.send(request).head
                try expect(head.headers[.location] == "/1", "it says \(head.status), \(head.headers)")
            },
            ContractRule("a redirect to a file is blocked") { makeFixture in
                var origin = announced([1])
                origin.location = "file:///etc/hostname"
                let failure = await failure(of: try await makeFixture(origin))
                guard case .blockedRedirect = failure else { throw ContractViolation(describe(failure)) }
            },
        ]
    }

    private static var departures: [ContractRule<Subject>] {
        [
            ContractRule("cancelling while the head is awaited throws cancelled and ends the transfer") { makeFixture in
                var origin = Origin()
                origin.isSilentBeforeHead = true
                try await expectCancellation(try await makeFixture(origin))
            },
            ContractRule("cancelling while the body is awaited throws cancelled and ends the transfer") { makeFixture in
                var origin = announced(bytes(100))
                origin.announcedBytes = 1_000
                origin.ending = .silence
                try await expectCancellation(try await makeFixture(origin))
            },
            ContractRule("dropping the body before its end ends the transfer") { makeFixture in
                var origin = announced(bytes(100))
                origin.announcedBytes = 1_000
                origin.ending = .silence
                let fixture = try await makeFixture(origin)
                do { _ = try await fixture.transport.send(request(fixture)) }
                try expect(await comesTrue { fixture.departures() == 1 }, "the origin still sees the client")
            },
        ]
    }

    private static func expectCancellation(_ fixture: Fixture) async throws {
        let ending = EventLog<TransportFailure?>()
        let task = Task { ending.append(await failure(of: fixture)) }
        let hasArrived = await comesTrue { fixture.requests() == 1 }
        try expect(hasArrived, "no request arrived")
        task.cancel()
        let hasEnded = await comesTrue { ending.count == 1 }
        try expect(hasEnded, "the task goes on waiting")
        try expect(ending.all == [.cancelled], describe(ending.all.first ?? nil))
        let hasLeft = await comesTrue { fixture.departures() == 1 }
        try expect(hasLeft, "the origin still sees the client")
    }
}
