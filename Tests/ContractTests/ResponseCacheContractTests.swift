import Foundation
import ImageContractTesting
import ImageCore
import ImageHTTPCaching
import ImageTesting
import ImageTransporting
import Testing

@Suite("The contract of ResponseCache")
struct ResponseCacheContractTests {
    typealias Rule = ContractRule<ResponseCacheContract.Subject>

    @Test("the caching transport passes with a cache in memory", arguments: ResponseCacheContract.rules)
    func memory(_ rule: Rule) async throws {
        try await rule.check { server in Self.cached(server) }
    }

    @Test("the caching transport passes with a cache on disk", arguments: ResponseCacheContract.rules)
    func files(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { server in
            CachingTransport(over: server, cache: folder.diskCache(byteLimit: 10_000_000), clock: nil) { Self.now }
        }
    }

    @Test("each rule fails for a cache that breaks it", arguments: BrokenResponseCache.Defect.allCases)
    func brokenDouble(_ defect: BrokenResponseCache.Defect) async throws {
        let rule = try #require(ResponseCacheContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check { BrokenResponseCache(defect: defect, server: $0, inner: Self.cached($0)) }
        }
    }

    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private static func cached(_ server: any DataTransport) -> CachingTransport {
        CachingTransport(over: server, cache: InMemoryDataCache(), clock: nil) { now }
    }
}

/// A cache that breaks one rule.
struct BrokenResponseCache: ResponseCache {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case contactsOrigin = "a response that was never fetched is absent, and the server receives no request"
        case truncates = "a fresh response is returned complete each time, without a request to the server"
        case alwaysAcceptsStale = "a stale response is returned only if stale ones are accepted, and is marked as stale"
        case keepsRemoved = "a removed response is absent until it is fetched again"
        case ignoresQueries = "a stored response is only returned, and only removed, for its own URL"
        case ignoresAccounts =
            "a response that is stored for one account is neither returned to another nor removed by it"
        case ignoresBypass = "a request that bypasses the cache neither uses nor stores a response"
        case ignoresReload = "a reload asks the server, and its response replaces the stored one"
        case forgetsGiven = "a body that it says it has stored is returned as a fresh response"
        case answersRetries =
            "a request that ignores stored errors is sent to the server, although the response is fresh"
        case reloads = "a request that ignores stored errors returns the stored response if the server can't be reached"
        case answersErrors = "a request that ignores stored errors never returns one"
        case storesReads = "a request that only reads the cache gets its response from there, or stores none"
        case startsAtOnce = "an exchange sends the request when it is started, each time"

        var testDescription: String { rawValue }
    }

    let defect: Defect
    let server: any DataTransport
    let inner: CachingTransport

    func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        var request = request
        let isStandard = request.cacheUse == CacheUse()
        switch (defect, request.cacheUse.mode) {
        case (.contactsOrigin, .onlyIfCached): return .stored(try await server.send(request))
        case (.alwaysAcceptsStale, .standard) where isStandard: request.cacheUse.mode = .onlyIfCached
        case (.ignoresQueries, _):
            request.url = URL(string: "/a", relativeTo: request.url)?.absoluteURL ?? request.url
        case (.ignoresAccounts, _): request.account = nil
        case (.ignoresBypass, _) where request.cacheUse.isNone: request.cacheUse = CacheUse()
        case (.storesReads, _) where request.cacheUse.access == .readOnly: request.cacheUse = CacheUse()
        case (.ignoresReload, .reload), (.answersRetries, .ignoringStoredErrors),
            (.answersErrors, .ignoringStoredErrors):
            request.cacheUse = CacheUse()
        case (.reloads, .ignoringStoredErrors): request.cacheUse.mode = .reload
        case (.startsAtOnce, .standard) where isStandard: _ = try await server.send(request)
        default: break
        }
        var answer = try await inner.answer(to: request)
        if defect == .truncates, case .stored(var response) = answer {
            response.body = TransportBody(Data(count: 10))
            answer = .stored(response)
        }
        return answer
    }

    func removeStoredResponses(to request: TransportRequest) async {
        if defect != .keepsRemoved { await inner.removeStoredResponses(to: request) }
    }

    func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool {
        if defect == .forgetsGiven { return true }
        return await inner.storeResponse(body, to: request, lifetime: lifetime)
    }
}
