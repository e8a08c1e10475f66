public import HTTPTypes
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The contract of `DataTransport`.
///
/// - `rules` hold for every transport, including those for files.
/// - `networkRules` hold for transports with a server.
/// - `backpressureRules` need a server that counts the bytes that it has sent.
/// - `faultRules` need a real server that can violate HTTP and delay its response. Some rules wait for parts of a
///   second.
public enum DataTransportContract {
    /// Makes a server that behaves as described, and a transport that reaches it. Requests start at the path `/0`.
    public typealias Subject = @Sendable (_ server: Server) async throws -> Fixture

    /// The behavior of a server for every request. Responses to HEAD have no body.
    public struct Server: Sendable {
        /// How the response continues after the last piece.
        public enum Ending: Sendable {
            /// The response is complete.
            case complete
            /// The connection is closed before the response is complete.
            case disconnect
            /// The connection is closed in the middle of the last piece, which is a chunk if no length is announced.
            case disconnectInPiece
            /// The server sends nothing more, and keeps the connection open.
            case stall
            /// The server sends a byte every 20 milliseconds, without an end.
            case trickle
        }

        /// The status of the response.
        public var status = 200
        /// The number of redirects before the response, from `/0` to `/1` and so on.
        public var redirects = 0
        /// The value of the `Location` field if every request is redirected.
        public var location: String?
        /// The parts of the body, which the server sends one after the other.
        public var pieces: [[UInt8]] = []
        /// The content length in the head, or nil for none.
        ///
        /// With `.complete`, it is the length of the pieces or less. The server sends all pieces in both cases.
        public var announcedByteCount: Int?
        /// The number of additional bytes in the head, in fields of about 1,000 bytes.
        public var extraHeadByteCount = 0
        /// The number of bytes in trailers of about 1,000 bytes, after a body without an announced length.
        public var trailerByteCount = 0
        /// The value of the `Content-Encoding` field. The pieces are already encoded.
        public var contentCoding: String?
        /// How the response ends.
        public var ending = Ending.complete
        /// Whether the server sends nothing, not even a head.
        public var isSilentBeforeHead = false
    }

    /// A transport, and observations of its server.
    public struct Fixture: Sendable {
        /// The transport under test.
        public var transport: any DataTransport
        /// The URL of the requests.
        public var url: URL
        /// Returns the number of requests that the server has received.
        public var requestCount: @Sendable () -> Int
        /// Returns the number of transfers that the client has ended early, as seen by the server.
        public var cancellationCount: @Sendable () -> Int
        /// Returns the number of bytes that the server has sent. `nil` if the server doesn't count them.
        public var sentByteCount: (@Sendable () -> Int)?
        /// Returns the bodies of all requests, in order. `nil` if the server doesn't record them.
        public var requestBodies: (@Sendable () -> [Data])?
        /// Returns the header fields of all requests, in order. `nil` if the server doesn't record them.
        public var requestHeaders: (@Sendable () -> [HTTPFields])?

        /// Creates a fixture. `rules` only need a transport and a URL.
        public init(
            transport: any DataTransport, url: URL, requestCount: @escaping @Sendable () -> Int = { 0 },
            cancellationCount: @escaping @Sendable () -> Int = { 0 }, sentByteCount: (@Sendable () -> Int)? = nil,
            requestBodies: (@Sendable () -> [Data])? = nil, requestHeaders: (@Sendable () -> [HTTPFields])? = nil
        ) {
            self.transport = transport
            self.url = url
            self.requestCount = requestCount
            self.cancellationCount = cancellationCount
            self.sentByteCount = sentByteCount
            self.requestBodies = requestBodies
            self.requestHeaders = requestHeaders
        }
    }

    /// The rules for every transport.
    public static var rules: [ContractRule<Subject>] {
        [
            ContractRule("a body arrives complete and in order, and its announced length is correct or absent") {
                makeFixture in
                let fixture = try await makeFixture(announced(bytes(300_000)))
                let answer = try await fetch(fixture)
                try expect(answer, hasBody: bytes(300_000))
                let length = answer.head.expectedByteCount ?? 300_000
                try expect(length == 300_000, "\(length) bytes are announced")
            },
            ContractRule("no piece of a body is empty, and each starts at index 0") { makeFixture in
                let answer = try await fetch(try await makeFixture(announced(bytes(300_000))))
                try expect(answer.pieces.allSatisfy { !$0.isEmpty }, "there is an empty piece")
                try expect(answer.pieces.allSatisfy { $0.startIndex == 0 }, "there is a piece with another start index")
            },
            ContractRule("an empty body has no pieces") { makeFixture in
                let answer = try await fetch(try await makeFixture(announced([])))
                try expect(answer.pieces.isEmpty, "\(answer.pieces.count) pieces")
            },
            ContractRule("a response has the requested URL and the status 200") { makeFixture in
                let fixture = try await makeFixture(announced([1]))
                let answer = try await fetch(fixture)
                try expect(answer.head.url == fixture.url, "the URL is \(answer.head.url)")
                try expect(answer.head.status == .ok, "the status is \(answer.head.status)")
            },
            ContractRule("a body of exactly the limit is accepted") { makeFixture in
                let answer = try await fetch(try await makeFixture(announced(bytes(5_000))), bodyByteLimit: 5_000)
                try expect(answer.body.count == 5_000, "\(answer.body.count) bytes")
            },
            ContractRule("a body larger than the limit fails as too large") { makeFixture in
                let failure = await failure(of: try await makeFixture(announced(bytes(5_001))), bodyByteLimit: 5_000)
                try expect(failure == .tooLarge(byteLimit: 5_000), "\(describe(failure))")
            },
            ContractRule("a task that is cancelled before it sends a request throws cancelled") { makeFixture in
                let fixture = try await makeFixture(announced(bytes(10)))
                let task = Task {
                    while !Task.isCancelled { await Task.yield() }
                    return await failure(of: fixture)
                }
                task.cancel()
                let ending = await task.value
                try expect(ending == .cancelled, describe(ending))
            },
            ContractRule("concurrent requests each receive the complete body") { makeFixture in
                let fixture = try await makeFixture(announced(bytes(70_000)))
                let answers = try await withThrowingTaskGroup(of: Data.self) { group in
                    for _ in 0..<20 { group.addTask { try await fetch(fixture).body } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try expect(answers.allSatisfy { $0 == Data(bytes(70_000)) }, "a body was not complete")
            },
        ]
    }
}

// MARK: Helpers

extension DataTransportContract {
    struct Answer: Sendable {
        var head: ResponseHead
        var pieces: [Data] = []
        var body: Data { pieces.reduce(into: Data()) { $0.append($1) } }
    }

    static func bytes(_ count: Int) -> [UInt8] {
        // The contents repeat after a block.
        (0..<min(count, 1 << 15)).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 7) }.repeated(toFill: count)
    }

    static func announced(_ body: [UInt8]) -> Server {
        var server = Server()
        server.pieces = body.isEmpty ? [] : [body]
        server.announcedByteCount = body.count
        return server
    }

    static func request(
        _ fixture: Fixture, bodyByteLimit: Int = 1 << 30, maxRedirects: Int = 10, method: HTTPRequest.Method = .get
    ) -> TransportRequest {
        TransportRequest(url: fixture.url, method: method, bodyByteLimit: bodyByteLimit, maxRedirects: maxRedirects)
    }

    /// Sends a request and reads the whole body. A failure is a violation, because the server is correct.
    static func fetch(_ fixture: Fixture, bodyByteLimit: Int = 1 << 30) async throws(ContractViolation) -> Answer {
        do throws(TransportError) {
            let response = try await fixture.transport.send(request(fixture, bodyByteLimit: bodyByteLimit))
            var answer = Answer(head: response.head)
            for try await piece in response.body { answer.pieces.append(piece) }
            return answer
        } catch {
            throw ContractViolation("the request failed: \(error)")
        }
    }

    /// Returns the failure of sending a request and reading the whole body, or nil if both succeed.
    static func failure(of fixture: Fixture, bodyByteLimit: Int = 1 << 30, maxRedirects: Int = 10) async
        -> TransportError?
    {
        await failure(of: request(fixture, bodyByteLimit: bodyByteLimit, maxRedirects: maxRedirects), to: fixture)
    }

    static func failure(of request: TransportRequest, to fixture: Fixture) async -> TransportError? {
        do throws(TransportError) {
            return await failure(reading: try await fixture.transport.send(request))
        } catch {
            return error
        }
    }

    static func failure(reading response: TransportResponse) async -> TransportError? {
        do throws(TransportError) {
            for try await _ in response.body {}
            return nil
        } catch {
            return error
        }
    }

    static func expect(_ answer: Answer, hasBody body: [UInt8]) throws(ContractViolation) {
        if let difference = Difference.bytes(answer.body, expected: body) {
            throw ContractViolation("the body: \(difference)")
        }
    }

    static func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(ContractViolation) {
        try ImageContractTesting.expect(condition, message())
    }

    static func describe(_ failure: TransportError?) -> String { failure.map { "\($0)" } ?? "the request succeeded" }

    /// Waits until a condition is true. Returns false if it is still false after the wait limit.
    static func becomesTrue(_ condition: () -> Bool) async -> Bool {
        await WaitLimit.becomesTrue(timesAsLong: 5, condition)
    }
}
