import HTTPTypes
import ImageTesting
public import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The promises of `ResponseCache`, together with the transport that fills it.
public enum ResponseCacheContract {
    /// A new transport with an empty cache that obeys HTTP, in front of the one that is given.
    public typealias Subject = @Sendable (_ origin: any DataTransport) async throws -> any DataTransport & ResponseCache

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("has nothing of what was never fetched, and asks nobody") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try expect(try await fixture.stored(acceptsStale: true) == nil, "there is something")
            try expect(fixture.origin.sendCount == 0, "the origin was asked")
        },
        ContractRule("gives what is fresh, whole, without asking, as often as it is wanted") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            for acceptsStale in [false, true, false] {
                let stored = try await fixture.stored(acceptsStale: acceptsStale)
                try expect(stored?.body == Fixture.body, "\(stored?.body.count ?? -1) bytes, or other ones")
                try expect(stored?.source == .cache, "from \(stored?.source.rawValue ?? "nowhere")")
            }
            try expect(fixture.origin.sendCount == 1, "the origin was asked")
        },
        ContractRule("gives what must be asked about only where that is accepted, and says that it is stale") { make in
            let fixture = try await Fixture(make, lifetime: "no-cache")
            try await fixture.fetch()
            try expect(try await fixture.stored(acceptsStale: false) == nil, "given without asking")
            let stale = try await fixture.stored(acceptsStale: true)
            try expect(stale?.body == Fixture.body && stale?.source == .stale, "not given, or not as stale")
            try expect(fixture.origin.sendCount == 1, "the origin was asked")
        },
        ContractRule("forgets what it is told to forget") { make in
            let fixture = try await Fixture(make, lifetime: "max-age=3600")
            try await fixture.fetch()
            await fixture.cache.removeStoredResponses(to: fixture.request)
            try expect(try await fixture.stored(acceptsStale: true) == nil, "it is still there")
            try await fixture.fetch()
            try expect(try await fixture.stored(acceptsStale: false) != nil, "it never comes back")
        },
    ]

    /// A cache, and an origin that has one response for one URL.
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
