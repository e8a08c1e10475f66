import HTTPTypes
import ImageCore
import ImageTesting
public import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contract of `ResponseCache` and the transport that fills it.
public enum ResponseCacheContract {
    /// Makes a transport with an empty HTTP cache in front of another transport.
    public typealias Subject = @Sendable (_ server: any DataTransport) async throws -> any ResponseCache

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("a response that was never fetched is absent, and the server receives no request") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try expect(try await fixture.stored(acceptsStale: true) == nil, "there is a stored response")
            try expect(fixture.server.sendCount == 0, "the server received a request")
        },
        ContractRule("a fresh response is returned complete each time, without a request to the server") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            for acceptsStale in [false, true, false] {
                let stored = try await fixture.stored(acceptsStale: acceptsStale)
                try expect(stored, hasBody: Fixture.body)
                try expect(stored?.source == .cache, "from \(stored?.source.rawValue ?? "nowhere")")
            }
            try expect(fixture.server.sendCount == 1, "the server received a request")
        },
        ContractRule("a stale response is returned only if stale ones are accepted, and is marked as stale") { make in
            let fixture = try await Fixture(make, lifetime: "no-cache")
            try await fixture.fetch()
            try expect(try await fixture.stored(acceptsStale: false) == nil, "a stale response is returned")
            let stale = try await fixture.stored(acceptsStale: true)
            try expect(
                stale?.body == Fixture.body && stale?.source == .stale, "it is not returned, or not marked as stale")
            try expect(fixture.server.sendCount == 1, "the server received a request")
        },
        ContractRule("a removed response is absent until it is fetched again") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            await fixture.cache.removeStoredResponses(to: fixture.request)
            try expect(try await fixture.stored(acceptsStale: true) == nil, "the response is still stored")
            try await fixture.fetch()
            try expect(try await fixture.stored(acceptsStale: false) != nil, "the response is not stored again")
        },
        ContractRule("a stored response is only returned, and only removed, for its own URL") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            for path in ["b", "a/", "a?b=1", "A"] {
                guard let url = URL(string: "http://server.test/\(path)") else { throw ContractViolation("no URL") }
                let other = TransportRequest(url: url)
                try expect(try await fixture.stored(other, acceptsStale: true) == nil, "it is returned for \(url)")
                await fixture.cache.removeStoredResponses(to: other)
                try expect(try await fixture.stored(acceptsStale: false) != nil, "it is removed for \(url)")
            }
        },
        ContractRule("a response that is stored for one account is neither returned to another nor removed by it") {
            make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            var other = fixture.request
            other.account = "other"
            try expect(try await fixture.stored(other, acceptsStale: true) == nil, "it is returned")
            await fixture.cache.removeStoredResponses(to: other)
            try expect(try await fixture.stored(acceptsStale: false) != nil, "it is removed")
        },
        ContractRule("a request that bypasses the cache neither uses nor stores a response") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch(.none)
            try expect(try await fixture.stored(acceptsStale: true) == nil, "the response is stored")
            try await fixture.fetch()
            try await fixture.fetch(.none)
            try expect(fixture.server.sendCount == 3, "the server received \(fixture.server.sendCount) of 3 requests")
        },
        ContractRule("a reload asks the server, and its response replaces the stored one") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            fixture.script(Data([1, 2, 3]), lifetime: "max-age=3600")
            try await fixture.fetch(CacheUse(.reload))
            try expect(fixture.server.sendCount == 2, "the server received \(fixture.server.sendCount) of 2 requests")
            try expect(try await fixture.stored(acceptsStale: false), hasBody: Data([1, 2, 3]))
        },
        ContractRule("a body that it says it has stored is returned as a fresh response") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            for body in [Data([1]), Data([2, 3])] {
                guard await fixture.cache.storeResponse(body, to: fixture.request, lifetime: .seconds(60)) else {
                    return
                }
                try expect(try await fixture.stored(acceptsStale: false), hasBody: body)
            }
            try expect(fixture.server.sendCount == 0, "the server received a request")
        },
        ContractRule("a request that only reads the cache gets its response from there, or stores none") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch(CacheUse(access: .readOnly))
            try expect(try await fixture.stored(acceptsStale: true) == nil, "the response is stored")
            try await fixture.fetch()
            try await fixture.fetch(CacheUse(access: .readOnly))
            try expect(fixture.server.sendCount == 2, "the server received \(fixture.server.sendCount) of 2 requests")
        },
        ContractRule("an exchange sends the request when it is started, each time") { make in
            let fixture = try await Fixture(make, lifetime: "no-store")
            guard case .exchange(_, let start) = try await fixture.cache.answer(to: fixture.request) else {
                throw ContractViolation("there is no exchange")
            }
            for count in 0..<2 {
                try expect(
                    fixture.server.sendCount == count, "the server received \(fixture.server.sendCount) requests")
                for try await _ in try await start().body {}
            }
            try expect(fixture.server.sendCount == 2, "the server received no request")
        },
        ContractRule("a request that ignores stored errors is sent to the server, although the response is fresh") {
            make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            try await fixture.fetch(CacheUse(.ignoringStoredErrors))
            try expect(fixture.server.sendCount == 2, "the server received no request")
        },
        ContractRule("a request that ignores stored errors returns the stored response if the server can't be reached")
        { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            fixture.server.script(fixture.request.url, .refused)
            do throws(TransportError) {
                try await fixture.fetch(CacheUse(.ignoringStoredErrors))
            } catch {
                throw ContractViolation("it fails: \(error)")
            }
        },
        ContractRule("a request that ignores stored errors never returns one") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600", status: .serviceUnavailable)
            try await fixture.fetch()
            fixture.server.script(fixture.request.url, .refused)
            do throws(TransportError) {
                try await fixture.fetch(CacheUse(.ignoringStoredErrors))
            } catch {
                return
            }
            throw ContractViolation("the stored error is returned")
        },
    ]

    private static func expect(_ stored: Stored?, hasBody body: Data) throws(ContractViolation) {
        guard let stored else { throw ContractViolation("no response is stored") }
        if let difference = Difference.bytes(stored.body, expected: body) { throw ContractViolation(difference) }
    }

    private static func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(ContractViolation) {
        try ImageContractTesting.expect(condition, message())
    }

    private typealias Stored = (body: Data, source: ResponseSource)

    /// A cache, and a server with one response for one URL.
    private struct Fixture {
        static let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 7) })

        let server = ScriptedTransport()
        let cache: any ResponseCache
        let request: TransportRequest
        private let status: HTTPResponse.Status

        init(_ make: Subject, lifetime: String, status: HTTPResponse.Status = .ok) async throws {
            guard let url = URL(string: "http://server.test/a") else { throw ContractViolation("no URL") }
            request = TransportRequest(url: url)
            self.status = status
            cache = try await make(server)
            script(Self.body, lifetime: lifetime)
        }

        func script(_ body: Data, lifetime: String) {
            var reply = ScriptedTransport.Reply.ok(
                body, headers: [.cacheControl: lifetime, .eTag: "\"\(body.count)\""])
            reply.status = status
            server.script(request.url, reply)
        }

        func fetch(_ use: CacheUse = CacheUse()) async throws(TransportError) {
            var request = request
            request.cacheUse = use
            for try await _ in try await cache.send(request).body {}
        }

        func stored(_ other: TransportRequest? = nil, acceptsStale: Bool) async throws -> Stored? {
            var request = other ?? request
            request.cacheUse.mode = acceptsStale ? .onlyIfCached : .standard
            guard case .stored(let response) = try await cache.answer(to: request) else { return nil }
            var body = Data()
            for try await piece in response.body { body.append(piece) }
            return (body, response.source)
        }
    }
}
