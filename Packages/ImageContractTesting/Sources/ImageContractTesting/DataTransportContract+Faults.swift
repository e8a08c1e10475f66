import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DataTransportContract {
    /// The rules about servers that violate HTTP or delay their response.
    public static var faultRules: [ContractRule<Subject>] { framing + limits + timeouts + fields + uploads }

    private static var framing: [ContractRule<Subject>] {
        [
            ContractRule("bytes beyond the announced length belong neither to the body nor to the next response") {
                makeFixture in
                var server = Server()
                server.pieces = [bytes(100) + Array("HTTP/1.1 203 OK\r\nContent-Length: 3\r\n\r\nbad".utf8)]
                server.announcedByteCount = 100
                let fixture = try await makeFixture(server)
                for _ in 0..<10 {
                    let answer = try await fetch(fixture)
                    try expect(answer.head.status == .ok, "the surplus was parsed as a head: \(answer.head.status)")
                    try expect(answer, hasBody: bytes(100))
                }
            },
            ContractRule("a body that is cut off in the middle of a chunk fails as closed early") { makeFixture in
                var server = Server()
                server.pieces = [bytes(100), bytes(1_000)]
                server.ending = .disconnectInPiece
                let failure = await failure(of: try await makeFixture(server))
                guard case .closedEarly(_, expected: nil) = failure else { throw ContractViolation(describe(failure)) }
            },
            ContractRule("a body in an unknown content coding arrives as received, with its length") { makeFixture in
                for coding in ["", "UTF-8", "none", "aws-chunked", "image/png", ", identity,"] {
                    var server = announced(bytes(1_000))
                    server.contentCoding = coding
                    let answer = try await fetch(try await makeFixture(server))
                    try expect(answer.body == Data(bytes(1_000)), "other bytes for Content-Encoding: \(coding)")
                    try expect(answer.head.expectedByteCount == 1_000, "no length for Content-Encoding: \(coding)")
                }
            },
        ]
    }

    private static var limits: [ContractRule<Subject>] {
        [
            ContractRule("a head of one megabyte fails as too large") { makeFixture in
                var server = announced([1])
                server.extraHeadByteCount = 1 << 20
                let failure = await failure(of: try await makeFixture(server))
                try expect(failure == .headTooLarge(byteLimit: 256 << 10), describe(failure))
            },
            ContractRule("trailers of one megabyte fail as too large") { makeFixture in
                var server = Server()
                server.pieces = [[1]]
                server.trailerByteCount = 1 << 20
                let failure = await failure(of: try await makeFixture(server))
                try expect(failure == .headTooLarge(byteLimit: 256 << 10), describe(failure))
            },
            ContractRule("a small encoded body that unpacks to more than the limit fails as too large") { makeFixture in
                let coded = GzipBomb.bytes(unpackingTo: 20 << 20)
                var server = announced(coded)
                server.contentCoding = "gzip"
                try expect(coded.count < 1 << 20, "the bomb has \(coded.count) bytes")
                let fixture = try await makeFixture(server)
                var request = request(fixture, bodyByteLimit: 1 << 20)
                request.stallTimeout = .seconds(10)
                var (unread, late): (TransportResponse?, TransportError?)
                do throws(TransportError) {
                    unread = try await fixture.transport.send(request)
                } catch {
                    late = error
                }
                let failure = await failure(of: request, to: fixture)
                try expect(failure == .decodedBodyTooLarge(byteLimit: 1 << 20), describe(failure))
                // All bytes of the first body have arrived, and more can be decoded of them than the transport buffers.
                if let unread { late = await self.failure(reading: unread) }
                try expect(late == .decodedBodyTooLarge(byteLimit: 1 << 20), "read late, \(describe(late))")
            },
        ]
    }

    private static var timeouts: [ContractRule<Subject>] {
        [
            ContractRule("a request to a server that sends no head times out waiting for the head") { makeFixture in
                var server = Server()
                server.isSilentBeforeHead = true
                let failure = await failure(of: try await makeFixture(server)) { $0.stallTimeout = .milliseconds(200) }
                try expect(failure == .timedOut(.head), describe(failure))
            },
            ContractRule("a request to a server that stops in the body times out waiting for the body") {
                makeFixture in
                var server = announced(bytes(100))
                server.announcedByteCount = 1_000
                server.ending = .stall
                let failure = await failure(of: try await makeFixture(server)) { $0.stallTimeout = .milliseconds(200) }
                try expect(failure == .timedOut(.body), describe(failure))
            },
            ContractRule("a body that arrives slower than the minimum times out waiting for the body") { makeFixture in
                var server = Server()
                server.ending = .trickle
                let failure = await failure(of: try await makeFixture(server)) { request in
                    request.stallTimeout = .milliseconds(400)
                    request.minBytesPerSecond = 1_000
                    request.totalTimeout = .seconds(600)
                }
                try expect(failure == .timedOut(.body), describe(failure))
            },
            ContractRule("a body that arrives byte by byte does not stall, and ends at the total timeout") {
                makeFixture in
                var server = Server()
                server.ending = .trickle
                // In all the body takes longer than the stall timeout, but no byte does.
                let failure = await failure(of: try await makeFixture(server)) { request in
                    request.stallTimeout = .seconds(1)
                    request.minBytesPerSecond = 0
                    request.totalTimeout = .seconds(3)
                }
                try expect(failure == .timedOut(.total), describe(failure))
            },
        ]
    }

    private static var fields: [ContractRule<Subject>] {
        [
            ContractRule("the header fields of a request reach the server") { makeFixture in
                let fixture = try await makeFixture(announced([1]))
                guard let requestHeaders = fixture.requestHeaders else {
                    throw ContractViolation("the fixture has no requestHeaders")
                }
                let sent: HTTPFields = [.accept: "image/png", .authorization: "Bearer a.b", .ifNoneMatch: "\"1\""]
                let failure = await failure(of: fixture) { $0.headers = sent }
                try expect(failure == nil, describe(failure))
                for field in sent {
                    let arrived = requestHeaders().last?[field.name]
                    try expect(arrived == field.value, "\(field) arrives as \(arrived ?? "nothing")")
                }
            },
            ContractRule("the header fields of a response are returned") { makeFixture in
                var server = announced([1])
                server.extraHeadByteCount = 3_000
                let head = try await fetch(try await makeFixture(server)).head
                let lengths = head.headers.filter { $0.value.count == 1_000 }.count
                try expect(lengths == 3, "\(lengths) of 3 fields of 1000 bytes are returned")
            },
        ]
    }

    private static var uploads: [ContractRule<Subject>] {
        [
            ContractRule("small request bodies arrive complete, including empty ones") { makeFixture in
                let fixture = try await makeFixture(announced([1]))
                guard let requestBodies = fixture.requestBodies else {
                    throw ContractViolation("the fixture has no requestBodies")
                }
                let bodies = [0, 1, 1_000, 60_000].map { Data(bytes($0)) }
                for body in bodies {
                    let failure = await failure(of: fixture) { request in
                        request.method = .post
                        request.body = body
                    }
                    try expect(failure == nil, describe(failure))
                }
                try expect(requestBodies() == bodies, "bodies of \(requestBodies().map(\.count)) bytes arrived")
            }
        ]
    }

    private static func failure(
        of fixture: Fixture, adjust: (inout TransportRequest) -> Void
    ) async -> TransportError? {
        var request = request(fixture)
        adjust(&request)
        return await failure(of: request, to: fixture)
    }
}

/// A gzip stream of zeros (RFC 1951 and 1952) without an end, because a decoder must stop before it.
enum GzipBomb {
    /// The last block, with fixed codes: 1, then 01 from its lowest bit. Then the literal 0 and a match, to the end of a
    /// byte.
    private static let start: [UInt8] = [0x63, 0x18, 0x05]
    /// Eight of the longest matches, each in 13 bits: the codes for length 258 and distance 1.
    private static let matches: [UInt8] = [
        0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18, 0x05,
    ]

    static func bytes(unpackingTo count: Int) -> [UInt8] {
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        return header + start + (0...count / (8 * 258)).flatMap { _ in matches }
    }
}
