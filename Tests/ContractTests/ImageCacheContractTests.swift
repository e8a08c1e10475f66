import ImageCore
import ImageMemoryCaching
import ImageTesting
import Synchronization
import Testing

@testable import ImageContractTesting

@Suite("The contract of ImageCache")
struct ImageCacheContractTests {
    typealias Rule = ContractRule<ImageCacheContract.Subject>

    @Test("the memory cache passes", arguments: ImageCacheContract.rules)
    func memoryCache(_ rule: Rule) async throws {
        try await rule.check { MemoryImageCache(byteLimit: $0) }
    }

    @Test("the memory cache passes with each policy", arguments: ImageCacheContract.rules, policies)
    func memoryCacheWithPolicy(_ rule: Rule, policy: EvictionPolicy) async throws {
        try await rule.check { MemoryImageCache(byteLimit: $0, policy: policy) }
    }

    static let allRules = ImageCacheContract.rules + ImageCacheContract.retention

    static let policies: [EvictionPolicy] = [
        .lru, .s3FIFO, .lfu, .twoBudgets(),
    ]

    @Test("the in-memory fake passes", arguments: ImageCacheContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check { InMemoryImageCache(byteLimit: $0) }
    }

    @Test("the memory cache passes the rules of aging", arguments: ImageCacheContract.aging)
    func agingMemoryCache(_ rule: ContractRule<ImageCacheContract.Aging>) async throws {
        try await rule.check { MemoryImageCache(byteLimit: $0, clock: $1) }
    }

    @Test("the in-memory fake passes the rules of aging", arguments: ImageCacheContract.aging)
    func agingFake(_ rule: ContractRule<ImageCacheContract.Aging>) async throws {
        try await rule.check { InMemoryImageCache(byteLimit: $0, clock: $1) }
    }

    @Test(
        "a memory cache with two budgets and the fake pass the rules of retention",
        arguments: ImageCacheContract.retention)
    func retention(_ rule: Rule) async throws {
        try await rule.check { MemoryImageCache(byteLimit: $0, policy: .twoBudgets()) }
        try await rule.check { InMemoryImageCache(byteLimit: $0) }
    }

    @Test("the rules of aging fail for a cache without a clock", arguments: ImageCacheContract.aging)
    func ageless(_ rule: ContractRule<ImageCacheContract.Aging>) async throws {
        await #expect(throws: ContractViolation.self) {
            try await rule.check { limit, _ in InMemoryImageCache(byteLimit: limit) }
        }
    }

    @Test("each rule fails for a cache that breaks it", arguments: BrokenImageCache.Defect.allCases)
    func brokenDouble(_ defect: BrokenImageCache.Defect) async throws {
        let rule = try #require(Self.allRules.first { $0.name == defect.rule })
        await WaitLimit.$yields.withValue(1_000) {
            await #expect(throws: ContractViolation.self) {
                try await rule.check { BrokenImageCache(defect, byteLimit: $0) }
            }
        }
    }
}

/// A fake that breaks one rule.
final class BrokenImageCache: ImageCache {
    enum Defect: CaseIterable {
        case keepsFirst, removesEverything, ignoresPredicates, keepsEverything, countsReplacedTwice, dropsHeaders
        case evictsEarly, ignoresProcessors, ignoresLimit, countsEvicted, evictsForRejected, keepsOlderImage
        case alwaysStores, ignoresTrims, rejectsAfterTrim, returnsRemoved, returnsReplaced, mixesImages
        case ignoresRetention, locksPredicates, losesOnReplace

        var rule: String {
            switch self {
            case .keepsFirst, .removesEverything, .ignoresPredicates, .keepsEverything, .countsReplacedTwice,
                .dropsHeaders, .evictsEarly:
                "a cache that is large enough has the last image of each key that was not removed"
            case .ignoresProcessors: "keys that differ in any part have different images"
            case .ignoresLimit, .countsEvicted:
                "the total cost is at most the limit and, if it is reported, that of the images"
            case .evictsForRejected, .keepsOlderImage:
                "an image larger than the limit removes the older one for its key, and evicts no other"
            case .alwaysStores: "only a cache with a limit of 0 says that it stores no images"
            case .ignoresTrims: "trimming to a share leaves at most that share of the total cost"
            case .rejectsAfterTrim: "trimming does not change the limit"
            case .returnsRemoved: "an image that is still in use is not found after it was removed"
            case .returnsReplaced: "an image that is still in use is not found after a newer one replaced it"
            case .mixesImages: "concurrent inserts for one key leave one of the images unchanged"
            case .ignoresRetention: "a thousand expendable images don't evict a preferred one"
            case .locksPredicates: "a predicate of removeAll(where:) may use the cache"
            case .losesOnReplace: "concurrent inserts for many keys lose no image that fits"
            }
        }
    }

    private let defect: Defect
    private let byteLimit: Int
    private let cache: InMemoryImageCache
    private let totalCost = Mutex(0)
    private let wasTrimmed = Mutex(false)
    private let firstImages = Mutex<[ImageCacheKey: DecodedImage]>([:])
    private let lock = Mutex(())

    var byteCount: Int? {
        defect == .countsEvicted ? totalCost.withLock { $0 } : cache.byteCount
    }

    var storesImages: Bool { defect == .alwaysStores || cache.storesImages }

    init(_ defect: Defect, byteLimit: Int) {
        self.defect = defect
        self.byteLimit = byteLimit
        let limit = defect == .ignoresLimit ? Int.max : defect == .evictsEarly ? byteLimit - 1 : byteLimit
        cache = InMemoryImageCache(byteLimit: limit)
    }

    func image(for key: ImageCacheKey) -> DecodedImage? {
        if defect == .locksPredicates { lock.withLock { _ in } }
        let found = cache.image(for: stored(key))
        if defect == .returnsRemoved || defect == .returnsReplaced { return found ?? firstImages.withLock { $0[key] } }
        guard defect == .dropsHeaders else { return found }
        return found.map {
            DecodedImage(bitmap: $0.bitmap, header: ImageHeader(format: .gif, storedSize: $0.bitmap.size))
        }
    }

    func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: MemoryRetention) {
        let key = stored(key)
        let older = cache.image(for: key)
        switch defect {
        case .keepsFirst where older != nil: return
        case .rejectsAfterTrim where wasTrimmed.withLock({ $0 }): return
        case .keepsOlderImage where image.byteCount > byteLimit: return
        case .evictsForRejected where image.byteCount > byteLimit: cache.removeAll()
        case .returnsRemoved, .returnsReplaced:
            firstImages.withLock { $0[key] = $0[key] ?? image }
            cache.insert(image, for: key)
        case .countsEvicted:
            totalCost.withLock { $0 += image.byteCount - (older?.byteCount ?? 0) }
            cache.insert(image, for: key)
        case .losesOnReplace where older != nil: cache.remove(for: key)
        case .countsReplacedTwice:
            addCost(image.byteCount)
            cache.insert(image, for: key)
        case .mixesImages:
            var mixed = image
            if older != nil { mixed.header.frameCount += 1 }
            cache.insert(mixed, for: key)
        default: cache.insert(image, for: key)
        }
    }

    func remove(for key: ImageCacheKey) {
        if defect == .removesEverything { cache.removeAll() } else { cache.remove(for: stored(key)) }
    }

    func removeAll() {
        if defect != .keepsEverything { cache.removeAll() }
    }

    func removeAll(where isUnwanted: (ImageCacheKey, Duration?) -> Bool) {
        cache.removeAll { key, unusedFor in
            if defect == .locksPredicates { return lock.withLock { _ in isUnwanted(key, unusedFor) } }
            return defect == .ignoresPredicates || isUnwanted(key, unusedFor)
        }
    }

    func trim(toShare share: Double) {
        if defect != .ignoresTrims { cache.trim(toShare: share) }
        wasTrimmed.withLock { $0 = true }
    }

    /// Adds the cost of an image, but never subtracts it again.
    private func addCost(_ byteCount: Int) {
        let isOver = totalCost.withLock { totalCost in
            totalCost += byteCount
            return totalCost > byteLimit
        }
        if isOver { cache.removeAll() }
    }

    private func stored(_ key: ImageCacheKey) -> ImageCacheKey {
        guard defect == .ignoresProcessors else { return key }
        return ImageCacheKey(identifier: key.identifier, target: key.target, color: key.color)
    }
}
