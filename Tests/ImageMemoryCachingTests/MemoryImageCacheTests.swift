import ImageCore
import ImageMemoryCaching
import Testing

@Suite("MemoryImageCache")
struct MemoryImageCacheTests {
    @Test("the texts of a key count")
    func countsKeys() {
        let cache = MemoryImageCache(byteLimit: 1_000, policy: .lru)
        cache.insert(image(40), for: ImageCacheKey(identifier: "ä234", processors: ["1234567", "9"]))
        #expect(cache.byteCount == 53)
        let long = String(repeating: "x", count: 980)
        cache.insert(image(40), for: ImageCacheKey(identifier: long))
        cache.insert(image(40), for: ImageCacheKey(identifier: "a", processors: [long]))
        #expect(cache.byteCount == 53)
        for number in 0..<100 { cache.insert(image(4), for: ImageCacheKey(identifier: "\(number)" + long.prefix(400))) }
        #expect(cache.count == 2)
        #expect(cache.byteCount ?? .max <= 1_000)
        cache.removeAll()
        #expect(cache.byteCount == 0)
    }

    @Test("a share to trim to is clamped to 0 and 1", arguments: [-1, 2, .nan, .infinity, -.infinity] as [Double])
    func clampsShare(_ share: Double) {
        let cache = MemoryImageCache(byteLimit: 100)
        cache.insert(image(80), for: key(1))
        cache.trim(toShare: share)
        #expect(cache.count == (share > 1 ? 1 : 0))
    }

    @Test("a cache that can hold no image says so", arguments: [(0, nil), (100, 0), (-1, nil)] as [(Int, Int?)])
    func storesNothing(_ byteLimit: Int, _ entryByteLimit: Int?) {
        let cache = MemoryImageCache(byteLimit: byteLimit, entryByteLimit: entryByteLimit)
        #expect(!cache.storesImages && MemoryImageCache(byteLimit: 1, entryByteLimit: 1).storesImages)
    }

    @Test("an expendable image is evicted before a preferred one")
    func retention() {
        let cache = MemoryImageCache(byteLimit: 90)
        for (number, retention) in [(1, .preferred), (2, .expendable), (3, .preferred)] as [(Int, MemoryRetention)] {
            cache.insert(image(40), for: key(number), retention: retention)
        }
        #expect((1...3).map { cache.image(for: key($0)) != nil } == [true, false, true])
    }

    @Test("a changed limit takes effect at once")
    func changesLimit() {
        let cache = MemoryImageCache(byteLimit: 120, policy: .lru)
        for number in 1...3 { cache.insert(image(40), for: key(number)) }
        cache.byteLimit = 79
        #expect(cache.byteCount == 40)
        #expect(cache.image(for: key(3)) != nil)
        cache.byteLimit = 200
        cache.insert(image(160), for: key(4))
        #expect(cache.byteCount == 200)
        cache.trim(toShare: 0.8)
        #expect(cache.byteCount == 160)
        #expect(cache.byteLimit == 200)
    }

    @Test("an image that a view shows is found again after its eviction, and counts again from then on")
    func revivesImageInUse() {
        let cache = MemoryImageCache(byteLimit: 100)
        let shown = image(80)
        cache.insert(shown, for: key(1))
        cache.insert(image(60), for: key(2))
        #expect(cache.byteCount == 60)
        #expect(cache.image(for: key(1)) == shown)
        #expect(cache.byteCount == 80)
        #expect(cache.image(for: key(2)) == nil)
    }

    @Test(
        "by default, one large image does not evict many small ones, and is found while it is shown"
    )
    func keepsSmallImages() {
        let cache = MemoryImageCache(byteLimit: 1_000)
        for number in 0..<25 { cache.insert(image(40), for: key(number)) }
        var shown: DecodedImage? = image(800)
        if let shown { cache.insert(shown, for: key(100)) }
        #expect((0..<25).allSatisfy { cache.image(for: key($0)) != nil })
        #expect(cache.image(for: key(100)) == shown)
        #expect(cache.byteCount == 1_000)
        shown = nil
        #expect(cache.image(for: key(100)) == nil)
    }

    @Test("an evicted image that nothing else retains is released")
    func forgetsImageOutOfUse() {
        let cache = MemoryImageCache(byteLimit: 100)
        var shown: DecodedImage? = image(80)
        if let shown { cache.insert(shown, for: key(1)) }
        cache.trim(toShare: 0)
        #expect(shown?.byteCount == 80)
        shown = nil
        #expect(cache.image(for: key(1)) == nil)
        cache.insert(image(80), for: key(2))
        cache.trim(toShare: 0)
        #expect(cache.image(for: key(2)) == nil)
    }

    @Test("images are removed by predicate or all at once, including those in use")
    func removesByDescription() {
        let cache = MemoryImageCache(byteLimit: 100)
        let shown = image(80)
        cache.insert(shown, for: key(1))
        cache.insert(image(80), for: key(2))
        cache.removeAll { other, _ in other == key(1) }
        #expect(cache.image(for: key(1)) == nil)
        #expect(cache.image(for: key(2)) != nil)
        cache.insert(shown, for: key(3))
        cache.insert(image(80), for: key(4))
        cache.removeAll()
        #expect((1...4).allSatisfy { cache.image(for: key($0)) == nil })
    }
}

/// A key without texts, which costs nothing.
private func key(_ number: Int) -> ImageCacheKey {
    ImageCacheKey(identifier: "", target: ImageTarget(PixelSize(width: number + 1, height: 1)))
}

/// An image with this cost in bytes, a multiple of four.
private func image(_ byteCount: Int) -> DecodedImage {
    let size = PixelSize(width: byteCount / 4, height: 1)
    return DecodedImage(
        bitmap: Bitmap(size: size, pixels: [UInt8](repeating: 255, count: byteCount), isOpaque: true),
        header: ImageHeader(format: .png, storedSize: size))
}
