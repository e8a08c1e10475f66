import Foundation
import HTTPTypes
import ImageCore
import ImageDiskCaching
import ImageMemoryCaching
import ImageTesting
import ImageTieredCaching
import ImageTransporting
import Synchronization
import Testing

@testable import ImageHTTPCaching

/// Memory, disk and HTTP caching.
extension ExtremeCase {
    static var caches: [ExtremeCase] { [memory, costs, lifetimes, disk, tiered, http, pool] }

    private static let policies: [EvictionPolicy] =
        [.lru, .lfu, .s3FIFO, .gdsf]
        + doubles.flatMap { [.gdsf(preferredWeight: $0), .twoBudgets(preferredShare: $0)] }

    private static func key(_ number: Int) -> ImageCacheKey { ImageCacheKey(identifier: "\(number)") }

    private static var image: DecodedImage {
        let header = ImageHeader(format: .png, storedSize: PixelSize(width: 2, height: 2))
        return DecodedImage(bitmap: bitmap(2, 2), header: header)
    }

    private static let memory = ExtremeCase("limits of the memory cache") {
        for value in ints {
            for policy in policies {
                let cache = MemoryImageCache(byteLimit: value, entryByteLimit: value, policy: policy)
                let images = (0..<20).map { _ in image }
                for number in 0..<20 { cache.insert(images[number], for: key(number)) }
                for number in 0..<20 { _ = cache.image(for: key(number)) }
                #expect(cache.byteCount ?? .max <= max(0, value))
                cache.byteLimit = 100
                #expect(cache.byteCount ?? .max <= 100)
                for share in doubles { cache.trim(toShare: share) }
            }
        }
    }

    private static let costs = ExtremeCase("costs and counts of a memory cache") {
        for policy in policies {
            for limit in ints {
                for cost in ints {
                    let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: limit, count: 3), policy: policy)
                    for number in 0..<5 { cache.insert(number, cost: cost, for: number) }
                    for number in 0..<5 { _ = cache.value(for: number) }
                    #expect(cache.totalCost <= max(0, limit) && cache.count <= 3)
                    cache.limits = CacheLimits(cost: cost, count: limit, entryCost: cost)
                    #expect(cache.totalCost <= max(0, cost) && cache.count <= max(0, limit))
                    cache.trim(toCost: limit, count: cost)
                }
            }
        }
    }

    private static let lifetimes = ExtremeCase("lifetimes in memory") {
        for duration in durations {
            let clock = ManualClock()
            let cache = MemoryImageCache(clock: clock, lifetime: duration)
            cache.insert(image, for: key(1))
            clock.advance(by: .seconds(1))
            #expect((cache.image(for: key(1)) != nil) == (duration > .seconds(1)))
        }
    }

    private static let disk = ExtremeCase("limits and ages of the disk cache") {
        for (index, value) in ints.enumerated() {
            for number in 0..<2 {
                var options = DiskCacheOptions()
                if number == 0 { options.minFreeByteCount = value }
                options.maxUnusedTime = durations[index]
                try await use(options, byteLimit: number == 0 ? 1 << 20 : value, value, durations[index])
            }
        }
    }

    /// Stores more than fits, and uses all operations with a number or a duration.
    private static func use(
        _ options: DiskCacheOptions, byteLimit: Int, _ value: Int, _ age: Duration
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "extreme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = DiskDataCache(directory: folder, byteLimit: byteLimit, options: options) {
            Date(timeIntervalSince1970: 1_800_000_000)
        }
        let entry = DataCacheEntry(data: Data(count: 9_000), creationDate: Date(timeIntervalSince1970: .nan))
        for number in 0..<12 { try? await cache.store(entry, for: DataCacheKey(identifier: "\(number)")) }
        for number in 0..<12 { _ = try? await cache.entry(for: DataCacheKey(identifier: "\(number)")) }
        let writer = try? await cache.writer(for: DataCacheKey(identifier: "w"), expectedByteCount: value)
        try? await writer?.append(Data(count: 200_000))
        try? await writer?.finish(metadata: Data(), creationDate: Date(timeIntervalSince1970: .infinity))
        let used = try await cache.status().byteCount
        #expect(used <= max(0, byteLimit))
        try await cache.removeAll(unusedFor: age)
        try await cache.trim(to: value)
        try await cache.removeAll()
    }

    private static let tiered = ExtremeCase("limits of the writes of a tiered cache") {
        let fields: [any WritableKeyPath<TieredCacheOptions, Int> & Sendable] = [
            \.maxPendingWrites, \.pendingByteLimit, \.maxConcurrentWrites,
        ]
        let entry = DataCacheEntry(data: Data(count: 9), creationDate: Date(timeIntervalSince1970: 0))
        for field in fields {
            for value in ints {
                var options = TieredCacheOptions()
                options[keyPath: field] = value
                let cache = TieredDataCache(upper: InMemoryDataCache(), lower: InMemoryDataCache(), options: options)
                for number in 0..<3 { try await cache.store(entry, for: DataCacheKey(identifier: "\(number)")) }
                #expect(try await cache.entry(for: DataCacheKey(identifier: "1")) == entry)
                try await cache.removeAll()
            }
        }
    }

    private static let http = ExtremeCase("lifetimes and dates of HTTP caching") {
        let url = try #require(URL(string: "http://a.test/1"))
        let seconds = [-Double.greatestFiniteMagnitude, -1e12, 0, 1e12, .greatestFiniteMagnitude, .infinity]
        let dates = seconds.map { Date(timeIntervalSince1970: $0) }
        let fields: [HTTPFields] = [[.lastModified: "Thu, 01 Jan 1970 00:00:00 GMT"], [:]]
        for (index, duration) in durations.enumerated() {
            for fraction in doubles {
                let policies: [any HTTPCachePolicy] = [
                    RFC9111Policy(
                        heuristicFraction: fraction, maxHeuristicLifetime: duration, negativeLifetime: duration,
                        defaultLifetime: durations[index]),
                    FixedLifetimePolicy(lifetime: duration),
                ]
                for (policy, fields) in policies.flatMap({ policy in fields.map { (policy, $0) } }) {
                    let head = ResponseHead(status: .ok, headers: fields, url: url)
                    for date in dates {
                        let response = StoredHTTPResponse(head, to: [:], requestTime: date, responseTime: date)
                        _ = policy.reuse(response, for: HTTPCacheRequest(headers: [:]), at: dates[index % 6])
                        _ = response.headers(at: dates[index % 6])
                    }
                }
            }
        }
    }

    private static let pool = ExtremeCase("memory that is kept for reuse") {
        for value in ints {
            let pool = PixelBufferPool(byteLimit: value)
            pool.give([UInt8](repeating: 0, count: 1 << 20))
            #expect(pool.idleByteCount <= max(0, value))
        }
    }
}
