import ImageContractTesting
import ImageCore
import ImageMemoryCaching
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of ImageCache")
struct ImageCacheContractTests {
    typealias Rule = ContractRule<ImageCacheContract.Subject>

    @Test("the memory cache obeys", arguments: ImageCacheContract.rules)
    func memoryCache(_ rule: Rule) async throws {
        try await rule.check { MemoryImageCache(byteLimit: $0) }
    }

    @Test("the memory cache obeys with each policy", arguments: ImageCacheContract.rules, policies)
    func memoryCacheWithPolicy(_ rule: Rule, policy: EvictionPolicy) async throws {
        try await rule.check { MemoryImageCache(byteLimit: $0, policy: policy) }
    }

    static let policies: [EvictionPolicy] = [
        .sieve, .s3FIFO, .wTinyLFU, .lfu, .fifo, .gdsf, .twoBudgets(),
    ]

    @Test("the in-memory fake obeys", arguments: ImageCacheContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check { InMemoryImageCache(byteLimit: $0) }
    }

    @Test("each rule bites a cache that breaks it", arguments: BrokenImageCache.Defect.allCases)
    func brokenDouble(_ defect: BrokenImageCache.Defect) async throws {
        let rule = try #require(ImageCacheContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check { BrokenImageCache(defect, byteLimit: $0) }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(ImageCacheContract.rules.map(\.name)) == Set(BrokenImageCache.Defect.allCases.map(\.rawValue)))
    }
}

/// The fake, but for one promise that it breaks: the one that its defect names.
final class BrokenImageCache: ImageCache {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case inventsImages = "what was never inserted is absent"
        case dropsHeaders = "an inserted image is found, whole"
        case keepsTheFirst = "a second insert replaces the image"
        case ignoresSizes = "keys of the same source and different sizes are different images"
        case removesEverything = "remove forgets that image and no other"
        case keepsEverything = "removeAll forgets every image, and the cache goes on"
        case evictsEarly = "images that fill the limit exactly are all kept"
        case countsReplacedTwice = "space that a replaced or removed image took is free again"
        case ignoresLimit = "the sum of costs never exceeds the limit"
        case miscounts = "the sum of costs, if it is told, is that of the images that are kept"
        case evictsForRefused = "an image above the limit alone is refused and evicts no other"
        case servesStale = "a refused image does not leave the older one under its key"
        case ignoresTrims = "trimmed to a share, at most that share of what was kept is left"
        case closesOnTrim = "a trimmed cache goes on with the limit that it had"
        case revivesRemoved = "an image that others hold is not found again once it was removed"
        case revivesReplaced = "an image that others hold is not found again once a newer one replaced it"
        case mixesImages = "concurrent inserts for one key leave one of the images, whole"
        case losesOnReplace = "concurrent use of many keys loses nothing that fits"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let byteLimit: Int
    private let cache: InMemoryImageCache
    private let spent = Mutex(0)
    private let isClosed = Mutex(false)
    private let everSeen = Mutex<[ImageCacheKey: DecodedImage]>([:])

    var byteCount: Int? { defect == .miscounts ? 300 : cache.byteCount }

    init(_ defect: Defect, byteLimit: Int) {
        self.defect = defect
        self.byteLimit = byteLimit
        let limit = defect == .ignoresLimit ? Int.max : defect == .evictsEarly ? byteLimit - 1 : byteLimit
        cache = InMemoryImageCache(byteLimit: limit)
    }

    func image(for key: ImageCacheKey) -> DecodedImage? {
        let found = cache.image(for: stored(key))
        if defect == .revivesRemoved || defect == .revivesReplaced { return found ?? everSeen.withLock { $0[key] } }
        guard defect == .dropsHeaders || defect == .inventsImages else { return found }
        let size = PixelSize(width: 1, height: 1)
        let header = ImageHeader(format: .gif, storedSize: size)
        let invented = DecodedImage(bitmap: Bitmap(size: size, pixels: [0, 0, 0, 0], isOpaque: false), header: header)
        if defect == .inventsImages { return found ?? invented }
        return found.map { DecodedImage(bitmap: $0.bitmap, header: header) }
    }

    func insert(_ image: DecodedImage, for key: ImageCacheKey) {
        let key = stored(key)
        let older = cache.image(for: key)
        switch defect {
        case .keepsTheFirst where older != nil: return
        case .closesOnTrim where isClosed.withLock({ $0 }): return
        case .servesStale where image.byteCount > byteLimit: return
        case .evictsForRefused where image.byteCount > byteLimit: cache.removeAll()
        case .revivesRemoved, .revivesReplaced:
            everSeen.withLock { $0[key] = $0[key] ?? image }
            cache.insert(image, for: key)
        case .losesOnReplace where older != nil: cache.remove(for: key)
        case .countsReplacedTwice:
            spend(image.byteCount)
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

    func trim(toShare share: Double) {
        if defect != .ignoresTrims { cache.trim(toShare: share) }
        isClosed.withLock { $0 = true }
    }

    /// Counts what is put in and never what is taken out.
    private func spend(_ byteCount: Int) {
        let isOver = spent.withLock { spent in
            spent += byteCount
            return spent > byteLimit
        }
        if isOver { cache.removeAll() }
    }

    private func stored(_ key: ImageCacheKey) -> ImageCacheKey {
        defect == .ignoresSizes ? ImageCacheKey(source: key.source) : key
    }
}
