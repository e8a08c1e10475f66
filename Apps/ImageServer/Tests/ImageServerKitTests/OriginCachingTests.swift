import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageHTTPCaching
import ImageLoading
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

@testable import ImageServerKit

@Suite("Originals and their freshness") struct OriginCachingTests {
    @Test("an original is asked for again when the bounds say so, whatever the origin says")
    func bounds() async throws {
        let bed = OriginBed(LifetimeBounds(shortest: .seconds(10), longest: .seconds(60), standard: .seconds(30)))
        bed.reply("/year", 200, [.cacheControl: "max-age=31536000, immutable", .age: "1000"])
        bed.reply("/silent", 200, [.lastModified: "Sat, 01 Jan 2000 00:00:00 GMT"])
        bed.reply("/now", 200, [.cacheControl: "max-age=0"])
        bed.reply("/shared", 200, [.cacheControl: "max-age=1, s-maxage=40"])
        for (path, lifetime) in [("/year", 60), ("/silent", 30), ("/now", 10), ("/shared", 40)] {
            #expect(try await bed.load(path) == Double(lifetime), "\(path)")
            bed.advance(Double(lifetime) - 2)
            #expect(try await bed.load(path) == 2, "\(path): a cached original is out of date with its results")
            #expect(bed.count(path) == 1)
            bed.advance(3)
            #expect(try await bed.load(path) == Double(lifetime), "\(path)")
            #expect(bed.count(path) == 2)
        }
    }

    @Test("an origin that allows stale originals doesn't extend the longest lifetime")
    func staleOriginals() async throws {
        let bed = OriginBed(LifetimeBounds(longest: .seconds(60)))
        bed.reply("/a", 200, [.cacheControl: "max-age=1, stale-while-revalidate=86400", .eTag: "\"1\""])
        #expect(try await bed.load("/a") == 1)
        bed.advance(61)
        bed.reply("/a", 200, [.cacheControl: "max-age=9", .eTag: "\"2\""])
        #expect(try await bed.load("/a") == 9)
    }

    @Test("a confirmed original is fresh again from then on")
    func confirmed() async throws {
        let bed = OriginBed(LifetimeBounds(longest: .seconds(60)))
        bed.reply("/a", 200, [.cacheControl: "max-age=1000", .eTag: "\"1\""])
        #expect(try await bed.load("/a") == 60)
        bed.advance(61)
        bed.reply("/a", 304, [.eTag: "\"1\""])
        #expect(try await bed.load("/a") == 60)
        bed.advance(59)
        #expect(try await bed.load("/a") == 1 && bed.count("/a") == 2)
    }

    @Test(
        "a missing original is missing for a short time, whatever the origin says",
        arguments: [[:], [.cacheControl: "max-age=31536000"]] as [HTTPFields])
    func missing(headers: HTTPFields) async throws {
        let bed = OriginBed(LifetimeBounds(shortest: .seconds(600)), missing: .seconds(3))
        bed.reply("/a", 404, headers)
        await #expect(throws: ImageError.notFound) { try await bed.load("/a") }
        bed.advance(2)
        await #expect(throws: ImageError.notFound) { try await bed.load("/a") }
        #expect(bed.count("/a") == 1)
        bed.advance(2)
        bed.reply("/a", 200, [:])
        #expect(try await bed.load("/a") == 3_600)
    }

    @Test(
        "a result is as fresh as the most restrictive response that leads to it",
        arguments: [
            (302, "max-age=5", .shared, 5), (302, "private", .client, 30), (302, "no-store", .nobody, 30),
            (302, nil, .shared, 30), (307, "no-cache", .shared, 0), (303, "private, max-age=7", .client, 7),
            (301, nil, .shared, 31_536_000), (308, "max-age=9", .shared, 9), (301, "no-store", .nobody, 31_536_000),
            (302, "public, max-age=99999999", .shared, 31_536_000),
        ] as [(Int, String?, OriginFreshness.Storage, Double)])
    func redirects(status: Int, cacheControl: String?, storage: OriginFreshness.Storage, lifetime: Double) async throws
    {
        let bed = OriginBed(LifetimeBounds(standard: .seconds(30)))
        var headers: HTTPFields = [.location: "/b"]
        headers[.cacheControl] = cacheControl
        bed.reply("/a", 301, [.location: "/hop"])
        bed.reply("/hop", status, headers)
        bed.reply("/b", 200, [.cacheControl: "max-age=31536000"])
        for _ in 0..<2 {
            #expect(try await bed.load("/a") == lifetime)
            #expect(try await bed.freshness("/a").storage == storage)
        }
        #expect(bed.count("/b") == 1)
    }

    @Test(
        "times that only a foreign writer of the cache can have stored bound nothing",
        arguments: ["1e300", "-1e300", "nan", "inf"])
    func impossibleArrival(time: String) async throws {
        let bounds = LifetimeBounds()
        let head = ResponseHead(status: .ok, headers: [.cacheControl: "max-age=100"], url: URL(filePath: "/"))
        let stored = StoredHTTPResponse(
            head, to: [:], requestTime: .distantPast, responseTime: Date(timeIntervalSince1970: Double(time) ?? 0))
        let policy = SharedCachePolicy(bounds: bounds)
        _ = policy.reuse(stored, for: HTTPCacheRequest(headers: [:]), at: .now)
        #expect(try #require(policy.lifetime(of: stored)) <= .seconds(20_000_000_000 as Int64))
        for date in [stored.responseTime, Date(timeIntervalSince1970: 1e300)] {
            #expect(bounds.cacheControl(.shared, freshUntil: date, now: .distantPast).utf8.count < 30)
        }
    }
}

/// A loader over the HTTP cache of originals with the checks below it, as the server composes them.
private final class OriginBed: Sendable {
    private let origin = RepliesByPath()
    private let time: WatchedTime
    private let loader: ImageLoader

    init(_ bounds: LifetimeBounds, missing: Duration = .seconds(5)) {
        let time = WatchedTime()
        let now: @Sendable () -> Date = { time.now }
        let caching = CachingTransport(
            over: GuardedTransport(transport: origin, rules: OriginRules(), userAgent: "test"),
            cache: InMemoryDataCache(),
            options: CachingOptions(policy: SharedCachePolicy(bounds: bounds, missingLifetime: missing)), clock: nil,
            now: now)
        self.time = time
        loader = ImageLoader(
            ImageLoaderParts(
                memoryCache: nil, transport: .cached(caching), decoder: SampleImages.decoder(),
                scheduler: ImmediateScheduler(), coalescer: TaskCoalescer()))
    }

    func reply(_ path: String, _ status: Int, _ headers: HTTPFields) {
        origin.replies.withLock { $0[path] = (status, headers) }
    }

    func advance(_ seconds: TimeInterval) { time.advance(seconds) }

    func count(_ path: String) -> Int { origin.paths.withLock { $0.filter { $0 == path }.count } }

    private func url(_ path: String) -> URL { URL(webAddress: "http://h\(path)") ?? URL(filePath: path) }

    /// Loads an original, and returns for how long it is fresh.
    @discardableResult
    func load(_ path: String) async throws -> TimeInterval? {
        try await freshness(path).freshUntil?.timeIntervalSince(time.now)
    }

    func freshness(_ path: String) async throws -> OriginFreshness {
        OriginFreshness(try await loader.data(for: ImageRequest(url: url(path))).responses)
    }
}

private final class RepliesByPath: DataTransport {
    let replies = Mutex<[String: (status: Int, headers: HTTPFields)]>([:])
    let paths = Mutex<[String]>([])

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let path = request.url.path()
        paths.withLock { $0.append(path) }
        let reply = replies.withLock { $0[path] ?? (status: 404, headers: [:]) }
        let head = ResponseHead(status: .init(code: reply.status), headers: reply.headers, url: request.url)
        return TransportResponse(head: head, body: TransportBody(Data(path.utf8)))
    }
}

private final class WatchedTime: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
