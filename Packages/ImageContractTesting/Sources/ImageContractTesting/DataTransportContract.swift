import HTTPTypes
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What every transport promises.
///
/// `rules` hold for any transport, files included; `networkRules` for those that talk to an origin; `flowRules` for those
/// whose origin can tell how many bytes it has got rid of; `faultRules` for those that talk to a real origin, which breaks HTTP's rules and
/// lets time pass: some wait for parts of a second.
public enum DataTransportContract {
    /// Sets up an origin that behaves as told, and a transport that reaches it. Requests start at the path `/0`.
    public typealias Subject = @Sendable (_ origin: Origin) async throws -> Fixture

    /// What the far end does about every request. Answers to HEAD have no body.
    public struct Origin: Sendable {
        /// What comes after the last piece.
        public enum Ending: Sendable {
            case complete
            /// The connection is closed although more was promised.
            case cut
            /// The same, in the middle of the last piece: of a chunk, where no length is told.
            case cutInPiece
            /// Nothing, for as long as the client stays.
            case silence
            /// Byte after byte, each on its own, for longer than anybody waits.
            case drip
        }

        public var status = 200
        /// Hops before the answer: the first request is redirected this often, from `/0` to `/1` and so on.
        public var redirects = 0
        /// Where everything is redirected to, if anywhere, as the Location says it.
        public var location: String?
        public var pieces: [[UInt8]] = []
        /// The length that the head tells; nil for none. With `.complete` it is the true one, or less: all pieces are sent then, too.
        public var announcedBytes: Int?
        /// So many bytes more in the head, in fields of a thousand or so.
        public var extraHeadBytes = 0
        /// The content coding that the head tells; the pieces are coded already.
        public var contentCoding: String?
        public var ending = Ending.complete
        /// The head never comes.
        public var isSilentBeforeHead = false

        public init() {}
    }

    /// A transport, an origin, and what can be seen of it.
    public struct Fixture: Sendable {
        public var transport: any DataTransport
        /// Where to send requests.
        public var url: URL
        /// How many requests have arrived.
        public var requests: @Sendable () -> Int
        /// How many transfers the client has ended before their end, as seen from the origin.
        public var departures: @Sendable () -> Int
        /// How many bytes the origin has got rid of; nil when it can't tell.
        public var sentBytes: (@Sendable () -> Int)?
        /// The bodies of all requests so far, in order; nil when it can't tell.
        public var requestBodies: (@Sendable () -> [Data])?

        public init(
            transport: any DataTransport, url: URL, requests: @escaping @Sendable () -> Int = { 0 },
            departures: @escaping @Sendable () -> Int = { 0 }, sentBytes: (@Sendable () -> Int)? = nil,
            requestBodies: (@Sendable () -> [Data])? = nil
        ) {
            self.transport = transport
            self.url = url
            self.requests = requests
            self.departures = departures
            self.sentBytes = sentBytes
            self.requestBodies = requestBodies
        }
    }

    /// Promises of every transport.
    public static var rules: [ContractRule<Subject>] {
        [
            ContractRule("a body arrives whole and in order, and its length is told truly or not at all") {
                makeFixture in
                let fixture = try await makeFixture(announced(bytes(300_000)))
                let answer = try await fetch(fixture)
                try expect(answer.body == Data(bytes(300_000)), "\(answer.body.count) bytes, or other ones")
                let told = answer.head.expectedBytes ?? 300_000
                try expect(told == 300_000, "\(told) bytes announced")
            },
            ContractRule("no piece is empty, and each starts at index 0") { makeFixture in
                let answer = try await fetch(try await makeFixture(announced(bytes(300_000))))
                try expect(answer.pieces.allSatisfy { !$0.isEmpty }, "an empty piece")
                try expect(answer.pieces.allSatisfy { $0.startIndex == 0 }, "a piece that starts elsewhere")
            },
            ContractRule("an empty body ends at once") { makeFixture in
                let answer = try await fetch(try await makeFixture(announced([])))
                try expect(answer.pieces.isEmpty, "\(answer.pieces.count) pieces")
            },
            ContractRule("a response says where it came from, and that all is well") { makeFixture in
                let fixture = try await makeFixture(announced([1]))
                let answer = try await fetch(fixture)
                try expect(answer.head.url == fixture.url, "it says \(answer.head.url)")
                try expect(answer.head.status == .ok, "it says \(answer.head.status)")
            },
            ContractRule("a body of exactly the limit passes") { makeFixture in
                let answer = try await fetch(try await makeFixture(announced(bytes(5_000))), maxBodyBytes: 5_000)
                try expect(answer.body.count == 5_000, "\(answer.body.count) bytes")
            },
            ContractRule("a body larger than the limit is too large") { makeFixture in
                let failure = await failure(of: try await makeFixture(announced(bytes(5_001))), maxBodyBytes: 5_000)
                try expect(failure == .tooLarge(allowedBytes: 5_000), "\(describe(failure))")
            },
            ContractRule("a task that was cancelled beforehand throws cancelled") { makeFixture in
                let fixture = try await makeFixture(announced(bytes(10)))
                let task = Task {
                    while !Task.isCancelled { await Task.yield() }
                    return await failure(of: fixture)
                }
                task.cancel()
                let ending = await task.value
                try expect(ending == .cancelled, describe(ending))
            },
            ContractRule("requests at once each get the whole body") { makeFixture in
                let fixture = try await makeFixture(announced(bytes(70_000)))
                let answers = try await withThrowingTaskGroup(of: Data.self) { group in
                    for _ in 0..<20 { group.addTask { try await fetch(fixture).body } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try expect(answers.allSatisfy { $0 == Data(bytes(70_000)) }, "a body was not whole")
            },
        ]
    }
}

// MARK: What rules are made of

extension DataTransportContract {
    struct Answer: Sendable {
        var head: ResponseHead
        var pieces: [Data] = []
        var body: Data { pieces.reduce(into: Data()) { $0.append($1) } }
    }

    static func bytes(_ count: Int) -> [UInt8] {
        // What follows is the same again.
        (0..<min(count, 1 << 15)).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 7) }.repeated(toFill: count)
    }

    static func announced(_ body: [UInt8]) -> Origin {
        var origin = Origin()
        origin.pieces = body.isEmpty ? [] : [body]
        origin.announcedBytes = body.count
        return origin
    }

    static func request(
        _ fixture: Fixture, maxBodyBytes: Int = 1 << 30, maxRedirects: Int = 10, method: HTTPRequest.Method = .get
    ) -> TransportRequest {
        TransportRequest(url: fixture.url, method: method, maxBodyBytes: maxBodyBytes, maxRedirects: maxRedirects)
    }

    /// A failure here is a violation: the origin does nothing that could be one.
    static func fetch(_ fixture: Fixture, maxBodyBytes: Int = 1 << 30) async throws(ContractViolation) -> Answer {
        do throws(TransportFailure) {
            let response = try await fixture.transport.send(request(fixture, maxBodyBytes: maxBodyBytes))
            var answer = Answer(head: response.head)
            for try await piece in response.body { answer.pieces.append(piece) }
            return answer
        } catch {
            throw ContractViolation("it failed: \(error)")
        }
    }

    /// Nil when sending and reading to the end succeed.
    static func failure(of fixture: Fixture, maxBodyBytes: Int = 1 << 30, maxRedirects: Int = 10) async
        -> TransportFailure?
    {
        await failure(of: request(fixture, maxBodyBytes: maxBodyBytes, maxRedirects: maxRedirects), to: fixture)
    }

    static func failure(of request: TransportRequest, to fixture: Fixture) async -> TransportFailure? {
        do throws(TransportFailure) {
            let response = try await fixture.transport.send(request)
            for try await _ in response.body {}
            return nil
        } catch {
            return error
        }
    }

    static func describe(_ failure: TransportFailure?) -> String { failure.map { "\($0)" } ?? "it succeeded" }

    /// False when it does not come true after very many turns of the other tasks: then it is taken to never do.
    static func comesTrue(_ condition: () -> Bool) async -> Bool {
        await Patience.comesTrue(timesAsLong: 5, condition)
    }
}
