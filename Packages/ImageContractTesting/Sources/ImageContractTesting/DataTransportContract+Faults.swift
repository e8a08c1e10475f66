import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DataTransportContract {
    /// Promises about origins that break the rules, or take their time.
    public static var faultRules: [ContractRule<Subject>] { framing + limits + pace + uploads }

    private static var framing: [ContractRule<Subject>] {
        [
            ContractRule("bytes beyond the announced length belong neither to this body nor to the next response") {
                makeFixture in
                var origin = Origin()
                origin.pieces = [bytes(100) + Array("HTTP/1.1 203 OK\r\nContent-Length: 3\r\n\r\nbad".utf8)]
                origin.announcedBytes = 100
                let fixture = try await makeFixture(origin)
                for _ in 0..<10 {
                    let answer = try await fetch(fixture)
                    try expect(answer.head.status == .ok, "the surplus was taken for a head: \(answer.head.status)")
                    try expect(answer.body == Data(bytes(100)), "\(answer.body.count) bytes, or other ones")
                }
            },
            ContractRule("a body cut in the middle of a chunk is closed early") { makeFixture in
                var origin = Origin()
                origin.pieces = [bytes(100), bytes(1_000)]
                origin.ending = .cutInPiece
                let failure = await failure(of: try await makeFixture(origin))
                guard case .closedEarly(_, expected: nil) = failure else { throw ContractViolation(describe(failure)) }
            },
        ]
    }

    private static var limits: [ContractRule<Subject>] {
        [
            ContractRule("a head of a megabyte is too large") { makeFixture in
                var origin = announced([1])
                origin.extraHeadBytes = 1 << 20
                let failure = await failure(of: try await makeFixture(origin))
                try expect(failure == .headTooLarge(allowedBytes: 256 << 10), describe(failure))
            },
            ContractRule("a small coded body that unpacks to more than the limit is told as such") { makeFixture in
                let coded = GzipBomb.bytes(unpackingTo: 20 << 20)
                var origin = announced(coded)
                origin.contentCoding = "gzip"
                try expect(coded.count < 1 << 20, "the bomb has \(coded.count) bytes")
                let failure = await failure(of: try await makeFixture(origin), maxBodyBytes: 1 << 20)
                try expect(failure == .unpacksTooLarge(allowedBytes: 1 << 20), describe(failure))
            },
        ]
    }

    private static var pace: [ContractRule<Subject>] {
        [
            ContractRule("an origin that says nothing has timed out, waiting for the head") { makeFixture in
                var origin = Origin()
                origin.isSilentBeforeHead = true
                let failure = await failure(of: try await makeFixture(origin)) { $0.stallTimeout = .milliseconds(200) }
                try expect(failure == .timedOut(.head), describe(failure))
            },
            ContractRule("an origin that stops in the body has timed out, waiting for the body") { makeFixture in
                var origin = announced(bytes(100))
                origin.announcedBytes = 1_000
                origin.ending = .silence
                let failure = await failure(of: try await makeFixture(origin)) { $0.stallTimeout = .milliseconds(200) }
                try expect(failure == .timedOut(.body), describe(failure))
            },
            ContractRule("a body that drips is no stall, and ends when the whole has taken too long") { makeFixture in
                var origin = Origin()
                origin.ending = .drip
                let failure = await failure(of: try await makeFixture(origin)) { request in
                    request.stallTimeout = .seconds(60)
                    request.totalTimeout = .milliseconds(300)
                }
                try expect(failure == .timedOut(.whole), describe(failure))
            },
        ]
    }

    private static var uploads: [ContractRule<Subject>] {
        [
            ContractRule("small bodies of requests arrive whole, empty ones too") { makeFixture in
                let fixture = try await makeFixture(announced([1]))
                guard let requestBodies = fixture.requestBodies else {
                    throw ContractViolation("the fixture does not know requestBodies")
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
    ) async -> TransportFailure? {
        var request = request(fixture)
        adjust(&request)
        return await failure(of: request, to: fixture)
    }
}

/// A gzip stream of zeros (RFC 1951, 1952), without what comes after its last byte: nobody is to get as far as that.
enum GzipBomb {
    /// In 13 bits the longest match there is, of the byte before: the codes for length 258 and distance 1.
    private static let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    private static let bytesPerMatch = 258

    static func bytes(unpackingTo count: Int) -> [UInt8] {
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        // The last block, with fixed codes: 1, then 01 from its lowest bit; then a zero as a literal, 00110000.
        let start: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
        var bits = BitPacker()
        bits.append(start)
        for _ in 0...count / bytesPerMatch { bits.append(match) }
        return header + bits.bytes
    }

    /// Fills bytes from their lowest bits.
    private struct BitPacker {
        private(set) var bytes: [UInt8] = []
        private var count = 0

        mutating func append(_ bits: [UInt8]) {
            for bit in bits {
                if count % 8 == 0 { bytes.append(0) }
                bytes[count / 8] |= bit << (count % 8)
                count += 1
            }
        }
    }
}
