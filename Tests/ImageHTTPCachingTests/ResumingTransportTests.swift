import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Resuming transport", .timeLimit(.minutes(10)))
struct ResumingTransportTests {
    private let server = ScriptedTransport()
    private let cache = InMemoryDataCache(byteLimit: 1 << 20)
    private let failures = MessageLog<DataCacheError>()
    private let url: URL
    private let whole = Data((0..<100).map { UInt8($0) })

    init() throws { url = try #require(URL(string: "http://a/b")) }

    /// Returns a new transport, as after a relaunch.
    private func transport() -> ResumingTransport {
        ResumingTransport(
            server, cache: cache, partByteCount: 16, now: { Date(timeIntervalSince1970: 0) },
            onCacheFailure: { failures.append($1) })
    }

    private func fetch(_ request: TransportRequest? = nil) async throws(TransportError) -> Data {
        let response = try await transport().send(request ?? TransportRequest(url: url))
        return try await response.body.collected(expectedByteCount: nil, byteLimit: .max)
    }

    private func interrupted(after count: Int, tag: String = "\"1\"") -> ScriptedTransport.Reply {
        .init(
            headers: [.eTag: tag], announcedByteCount: 100,
            body: [.piece(whole.prefix(count)), .fail(.closedEarly(received: count, expected: 100))])
    }

    private func rest(from offset: Int, upTo end: Int = 100) -> ScriptedTransport.Reply {
        let pieces = offset == end ? [] : [ScriptedTransport.Step.piece(Data(whole[offset..<end]))]
        let failure = TransportError.closedEarly(received: end - offset, expected: 100 - offset)
        return .init(
            status: .partialContent, headers: [.contentRange: "bytes \(offset)-99/100", .eTag: "\"1\""],
            announcedByteCount: 100 - offset, body: pieces + (end == 100 ? [] : [.fail(failure)]))
    }

    private func interrupt(after count: Int, then replies: ScriptedTransport.Reply...) async throws {
        server.script(url, [interrupted(after: count)] + replies)
        await #expect(throws: TransportError.closedEarly(received: count, expected: 100)) { try await fetch() }
    }

    @Test(
        "an interrupted body is stored unless a directive forbids it",
        arguments: ["no-store", "a=\"no-store\"", "private, No-Store"])
    func responseDirectives(_ text: String) async throws {
        var reply = interrupted(after: 53)
        reply.headers[.cacheControl] = text
        server.script(url, reply)
        await #expect(throws: TransportError.self) { try await fetch() }
        #expect(cache.entries.isEmpty == !text.hasPrefix("a="))
    }

    @Test(
        "bytes before an interruption are not requested again, and the cache is empty afterwards",
        arguments: [1, 16, 53])
    func resumes(_ count: Int) async throws {
        try await interrupt(after: count, then: rest(from: count))
        #expect(try await fetch() == whole)
        #expect(server.requests.map { $0.headers[.range] } == [nil, "bytes=\(count)-"])
        #expect(server.requests.map { $0.headers[.ifRange] } == [nil, "\"1\""])
        #expect(cache.entries.isEmpty)
    }

    @Test("a stored part that was replaced by one of another length is not used")
    func replacedPart() async throws {
        try await interrupt(after: 40, then: rest(from: 40))
        let response = try await transport().send(TransportRequest(url: url))
        for (key, entry) in cache.entries where entry.data.count == 40 {
            try await cache.store(
                DataCacheEntry(data: entry.data.prefix(5), creationDate: entry.creationDate), for: key)
        }
        await #expect(throws: TransportError.self) {
            try await response.body.collected(expectedByteCount: nil, byteLimit: .max)
        }
    }

    @Test("the keys in the cache contain no credentials")
    func hidesCredentials() async throws {
        server.script(url, [interrupted(after: 40)])
        let request = TransportRequest(url: url, headers: [.authorization: "Bearer secret"])
        await #expect(throws: TransportError.self) { try await fetch(request) }
        #expect(!cache.entries.isEmpty)
        #expect(cache.entries.keys.allSatisfy { !$0.identifier.contains("secret") })
    }

    @Test("a resumed response has the head of a complete response")
    func head() async throws {
        try await interrupt(after: 40, then: rest(from: 40))
        let head = try await transport().send(TransportRequest(url: url)).head
        #expect(head.status == .ok)
        #expect(head.expectedByteCount == 100)
        #expect(head.headers == [.eTag: "\"1\""])
    }

    @Test("if all bytes arrived but not the end, the last part is requested again")
    func allButEnd() async throws {
        server.script(
            url,
            [
                .init(
                    headers: [.eTag: "\"1\""], announcedByteCount: 100,
                    body: [
                        .piece(whole.prefix(90)), .piece(whole.suffix(10)), .fail(.connectionLost("at the very end")),
                    ]), rest(from: 90),
            ])
        await #expect(throws: TransportError.connectionLost("at the very end")) { try await fetch() }
        #expect(try await fetch() == whole)
    }

    @Test("a changed body is returned from its beginning")
    func changed() async throws {
        let other = Data(whole.reversed())
        try await interrupt(after: 40, then: .ok(other, headers: [.eTag: "\"2\""]))
        #expect(try await fetch() == other)
        #expect(cache.entries.isEmpty)
    }

    @Test("a changed body that is interrupted is resumed with its own validator")
    func changedAndInterrupted() async throws {
        try await interrupt(after: 40, then: interrupted(after: 30, tag: "\"2\""), .status(.notFound))
        await #expect(throws: TransportError.self) { try await fetch() }
        _ = try? await fetch()
        #expect(server.requests.last?.headers[.range] == "bytes=30-")
        #expect(server.requests.last?.headers[.ifRange] == "\"2\"")
    }

    @Test("after a 416 or a range that does not match, the complete body is requested once", arguments: [416, 206])
    func asksAgain(_ status: Int) async throws {
        try await interrupt(
            after: 40, then: .status(.init(code: status), headers: [.contentRange: "bytes 0-99/100"]),
            .ok(whole, headers: [.eTag: "\"2\""]))
        #expect(try await fetch() == whole)
        #expect(server.requests.map { $0.headers[.range] } == [nil, "bytes=40-", nil])
        #expect(cache.entries.isEmpty)
    }

    @Test("a response with only the rest, but status 200, is thrown away, and the complete body is requested")
    func restWithWrongStatus() async throws {
        var wrong = rest(from: 40)
        wrong.status = .ok
        try await interrupt(after: 40, then: wrong, .ok(whole, headers: [.eTag: "\"1\""]))
        #expect(try await fetch() == whole)
        #expect(server.requests.map { $0.headers[.range] } == [nil, "bytes=40-", nil])
        // The rest is read to its end, which keeps the connection.
        #expect(!server.messages.contains(.cancelled(url)))
    }

    @Test("after a part that has the complete body, the next attempt requests all of it")
    func wholeInPart() async throws {
        var wrong = rest(from: 40)
        wrong.announcedByteCount = nil
        wrong.body = [.piece(whole)]
        try await interrupt(after: 40, then: wrong, .ok(whole, headers: [.eTag: "\"1\""]))
        let error = await #expect(throws: TransportError.self) { try await fetch() }
        guard case .connectionLost = error else {
            Issue.record("\(String(describing: error)) isn't retried")
            return
        }
        #expect(cache.entries.isEmpty)
        #expect(try await fetch() == whole)
        #expect(server.requests.last?.headers[.range] == nil)
    }

    @Test("a part with status 200 in response to a request for the complete body is an error")
    func unwantedPart() async throws {
        var part = rest(from: 40)
        part.status = .ok
        server.script(url, [part])
        await #expect(throws: TransportError.self) { try await fetch() }
        #expect(cache.entries.isEmpty && server.cancellationCount == 0)
    }

    @Test("an error response is returned, and the stored parts are kept")
    func errorBetween() async throws {
        try await interrupt(after: 40, then: .status(.serviceUnavailable), rest(from: 40))
        #expect(try await transport().send(TransportRequest(url: url)).head.status == .serviceUnavailable)
        #expect(try await fetch() == whole)
    }

    @Test("the received bytes of a cancelled transfer are stored")
    func cancelled() async throws {
        let gate = TestGate()
        server.script(
            url,
            [
                .init(
                    headers: [.eTag: "\"1\""], announcedByteCount: 100, body: [.piece(whole.prefix(40)), .wait(gate)]),
                rest(from: 40),
            ])
        let task = Task { try await fetch() }
        await gate.waitForArrivals(1)
        task.cancel()
        await #expect(throws: TransportError.cancelled) { try await task.value }
        #expect(try await fetch() == whole)
        #expect(server.requests.last?.headers[.range] == "bytes=40-")
    }

    @Test("a transfer that is cancelled ends before its stored bytes are read")
    func cancelledReplay() async throws {
        try await interrupt(after: 40, then: rest(from: 40))
        let response = try await transport().send(TransportRequest(url: url))
        let reads = cache.messages.count
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            for try await _ in response.body {}
        }
        await #expect(throws: TransportError.cancelled) { try await task.value }
        #expect(cache.messages.count == reads)
    }

    @Test("a part of exactly the size of a part is stored while the rest arrives")
    func fullPart() async throws {
        server.script(
            url, .init(headers: [.eTag: "\"1\""], announcedByteCount: 100, body: [.piece(whole.prefix(16))]))
        var body = try await transport().send(TransportRequest(url: url)).body.makeAsyncIterator()
        #expect(try await body.next() == whole.prefix(16))
        #expect(cache.entries.values.contains { $0.data == whole.prefix(16) })
    }

    @Test("by default a part has 1 MiB, and a discarded body lets its connection be used again")
    func defaults() async throws {
        let (part, cache) = (Data(count: 1 << 20), InMemoryDataCache())
        server.script(url, .init(headers: [.eTag: "\"1\""], announcedByteCount: 9 << 20, body: [.piece(part)]))
        do {
            let response = try await ResumingTransport(server, cache: cache).send(TransportRequest(url: url))
            var body = response.body.makeAsyncIterator()
            #expect(try await body.next() == part)
            #expect(cache.entries.values.contains { $0.data == part })
        }
        server.script(url, .ok(whole, headers: [.eTag: "\"1\""]))
        let cancellationCount = server.cancellationCount
        do { try await transport().send(TransportRequest(url: url)).body.discard() }
        #expect(server.cancellationCount == cancellationCount)
    }

    @Test("a body of exactly the announced bytes is accepted, and one byte more is an error")
    func announcedBytes() throws {
        var parts = PartAssembler(totalByteCount: 10, partByteCount: 16, offset: 4)
        #expect(try parts.arrived(Data(count: 6)) == nil)
        try parts.finish()
        #expect(throws: TransportError.self) { try parts.arrived(Data(count: 1)) }
    }

    @Test("a complete body smaller than a part is not stored, and the parts of a larger one are removed")
    func leavesNothing() async throws {
        server.script(url, [.ok(whole.prefix(15), headers: [.eTag: "\"1\""])])
        #expect(try await fetch() == whole.prefix(15))
        #expect(cache.messages.allSatisfy { if case .entry = $0 { true } else { false } })
        server.script(url, [.ok(whole, headers: [.eTag: "\"1\""])])
        #expect(try await fetch() == whole)
        #expect(cache.entries.isEmpty)
    }

    @Test("a failure of the cache is reported, and the transfer continues without it")
    func brokenStore() async throws {
        cache.fail(.store, with: .noSpace)
        var reply = interrupted(after: 40)
        reply.body = [.piece(whole.prefix(20)), .piece(Data(whole[20..<40])), .fail(.connectionLost("cut"))]
        server.script(url, [reply, .ok(whole, headers: [.eTag: "\"1\""])])
        await #expect(throws: TransportError.connectionLost("cut")) { try await fetch() }
        #expect(failures.messages == [.noSpace], "a part that isn't stored is the last one that is tried")
        #expect(try await fetch() == whole)
        #expect(server.requests.last?.headers[.range] == nil)
    }

    @Test("a part that is removed before it is read fails the transfer, and the next one starts over")
    func partGone() async throws {
        try await interrupt(after: 40, then: rest(from: 40), .ok(whole, headers: [.eTag: "\"1\""]))
        let response = try await transport().send(TransportRequest(url: url))
        try await cache.removeAll()
        await #expect(throws: TransportError.self) { for try await _ in response.body {} }
        #expect(try await fetch() == whole)
        #expect(server.requests.last?.headers[.range] == nil)
    }

    @Test("parts are used for an equivalent URL")
    func equivalentURL() async throws {
        try await interrupt(after: 40)
        let other = try #require(URL(string: "HTTP://A:80/c/../%62#d"))
        server.script(other, rest(from: 40))
        #expect(try await fetch(TransportRequest(url: other)) == whole)
        #expect(server.requests.last?.headers[.range] != nil)
    }

    @Test("parts are not used for a request with other header fields or of another account")
    func otherFields() async throws {
        try await interrupt(after: 40, then: .ok(whole, headers: [.eTag: "\"1\""]))
        #expect(try await fetch(TransportRequest(url: url, headers: [.accept: "image/webp"])) == whole)
        #expect(server.requests.last?.headers[.range] == nil)
        server.script(url, [interrupted(after: 40), .ok(whole, headers: [.eTag: "\"1\""])])
        var (request, other) = (TransportRequest(url: url), TransportRequest(url: url))
        (request.account, other.account) = ("ann", "bob")
        _ = try? await fetch(request)
        #expect(try await fetch(other) == whole)
        #expect(server.requests.last?.headers[.range] == nil)
    }

    @Test("parts are used with another token, if the identity of the request doesn't depend on it")
    func otherToken() async throws {
        server.script(url, [interrupted(after: 40), rest(from: 40)])
        var request = TransportRequest(url: url, headers: [.authorization: "1"])
        request.account = "ann"
        request.identityHeaders = [:]
        _ = try? await fetch(request)
        request.headers[.authorization] = "2"
        #expect(try await fetch(request) == whole)
        #expect(server.requests.last?.headers[.range] == "bytes=40-")
    }

    @Test("a resumed body obeys the limit of the current request")
    func limit() async throws {
        try await interrupt(after: 40, then: rest(from: 40))
        await #expect(throws: TransportError.tooLarge(byteLimit: 99)) {
            try await fetch(TransportRequest(url: url, bodyByteLimit: 99))
        }
    }

    @Test(
        "requests with a condition, a range, a body or no-store, and methods other than GET, pass through",
        arguments: [
            TransportRequest(url: URL(filePath: "/"), headers: [.range: "bytes=0-9"]),
            TransportRequest(url: URL(filePath: "/"), headers: [.ifNoneMatch: "\"1\""]),
            TransportRequest(url: URL(filePath: "/"), headers: [.cacheControl: "no-store"]),
            TransportRequest(url: URL(filePath: "/"), method: .post),
            TransportRequest(url: URL(filePath: "/"), body: Data([1])),
        ])
    func passesThrough(_ request: TransportRequest) async throws {
        var request = request
        request.url = url
        server.script(url, [interrupted(after: 40)])
        await #expect(throws: TransportError.self) { try await fetch(request) }
        #expect(cache.messages.isEmpty)
    }

    @Test("the body is exact after any pieces and interruptions, and no byte is requested twice", arguments: 0..<50)
    func anyInterruptions(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var sent = 0
        while true {
            let end = min(100, sent + Int.random(in: 0...40, using: &random))
            server.script(url, [sent == 0 ? interrupted(after: end) : rest(from: sent, upTo: end)])
            if end == 100 { break }
            await #expect(throws: TransportError.self) { try await fetch() }
            sent = end
        }
        if sent == 0 { server.script(url, [.ok(whole, headers: [.eTag: "\"1\""])]) }
        #expect(try await fetch() == whole)
        #expect(cache.entries.isEmpty)
    }
}
