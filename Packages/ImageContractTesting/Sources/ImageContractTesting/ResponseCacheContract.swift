import HTTPTypes
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
    public typealias Subject = @Sendable (_ origin: any DataTransport) async throws -> any DataTransport & ResponseCache

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("a response that was never fetched is absent, and the origin receives no request") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try expect(try await fixture.stored(acceptsStale: true) == nil, "there is a stored response")
            try expect(fixture.origin.sendCount == 0, "the origin received a request")
        },
        ContractRule("a fresh response is returned complete each time, without a request to the origin") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            for acceptsStale in [false, true, false] {
                let stored = try await fixture.stored(acceptsStale: acceptsStale)
                try expect(stored?.body == Fixture.body, "\(stored?.body.count ?? -1) bytes, or other bytes")
                try expect(stored?.source == .cache, "from \(stored?.source.rawValue ?? "nowhere")")
            }
            try expect(fixture.origin.sendCount == 1, "the origin received a request")
        },
        ContractRule("a stale response is returned only if stale ones are accepted, and is marked as stale") { make in
            let fixture = try await Fixture(make, lifetime: "no-cache")
            try await fixture.fetch()
            try expect(try await fixture.stored(acceptsStale: false) == nil, "a stale response is returned")
            let stale = try await fixture.stored(acceptsStale: true)
            try expect(
                stale?.body == Fixture.body && stale?.source == .stale, "it is not returned, or not marked as stale")
            try expect(fixture.origin.sendCount == 1, "the origin received a request")
        },
        ContractRule("a removed response is absent until it is fetched again") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            await fixture.cache.removeStoredResponses(to: fixture.request)
            try expect(try await fixture.stored(acceptsStale: true) == nil, "the response is still stored")
            try await fixture.fetch()
            try expect(try await fixture.stored(acceptsStale: false) != nil, "the response is not stored again")
        },
    ]

    /// A cache, and an origin with one response for one URL.
    private struct Fixture {
        static let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 7) })

        let origin = ScriptedTransport()
        let cache: any DataTransport & ResponseCache
        let request: TransportRequest

        init(_ make: Subject, lifetime: String) async throws {
            guard let url = URL(string: "http://origin.test/a") else { throw ContractViolation("no URL") }
            request = TransportRequest(url: url)
            origin.script(url, .ok(Self.body, headers: [.cacheControl: lifetime, .eTag: "\"1\""]))
            cache = try await make(origin)
        }

        func fetch() async throws {
            for try await _ in try await cache.send(request).body {}
        }

        func stored(acceptsStale: Bool) async throws -> (body: Data, source: ResponseSource)? {
            guard let response = try? await cache.storedResponse(to: request, acceptsStale: acceptsStale) else {
                return nil
            }
            var body = Data()
            for try await piece in response.body { body.append(piece) }
            return (body, response.source)
        }
    }
}
