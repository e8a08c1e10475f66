import ImageCore
import ImageMemoryCaching
import Testing

@Suite("MemoryImageCache")
struct MemoryImageCacheTests {
    @Test("cost and count are exact after each operation")
    func countsExactly() {
        let cache = MemoryImageCache(byteLimit: 1_000)
        cache.insert(image(40), for: key(1))
        cache.insert(image(80), for: key(2))
        #expect(cache.totalCost == 120)
        cache.insert(image(4), for: key(1))
        #expect(cache.totalCost == 84)
        #expect(cache.count == 2)
        cache.remove(for: key(2))
        #expect(cache.totalCost == 4)
        cache.removeAll()
        #expect(cache.totalCost == 0)
        #expect(cache.count == 0)
    }

    @Test("the texts of a key count")
    func countsKeys() {
        let cache = MemoryImageCache(byteLimit: 1_000, policy: .lru)
        cache.insert(image(40), for: ImageCacheKey(source: "ä234", processors: ["1234567", "9"]))
        #expect(cache.totalCost == 53)
        let long = String(repeating: "x", count: 980)
        cache.insert(image(40), for: ImageCacheKey(source: long))
        cache.insert(image(40), for: ImageCacheKey(source: "a", processors: [long]))
        #expect(cache.totalCost == 53)
        for number in 0..<100 { cache.insert(image(4), for: ImageCacheKey(source: "\(number)" + long.prefix(400))) }
        #expect(cache.count == 2)
        #expect(cache.totalCost <= 1_000)
        cache.removeAll()
        #expect(cache.totalCost == 0)
    }

    @Test("the least recently used image is evicted first")
    func evictsLeastRecentlyUsed() {
        let cache = MemoryImageCache(byteLimit: 120, policy: .lru)
        for number in 1...3 { cache.insert(image(40), for: key(number)) }
        #expect(cache.image(for: key(1)) != nil)
        cache.insert(image(40), for: key(4))
        #expect(cache.image(for: key(2)) == nil)
        for number in [1, 3, 4] { #expect(cache.image(for: key(number)) != nil) }
    }

    @Test("a changed limit takes effect at once")
    func changesLimit() {
        let cache = MemoryImageCache(byteLimit: 120, policy: .lru)
        for number in 1...3 { cache.insert(image(40), for: key(number)) }
        cache.byteLimit = 79
        #expect(cache.totalCost == 40)
        #expect(cache.image(for: key(3)) != nil)
        cache.byteLimit = 200
        cache.insert(image(160), for: key(4))
        #expect(cache.totalCost == 200)
        cache.trim(to: 160)
        #expect(cache.totalCost == 160)
        #expect(cache.byteLimit == 200)
    }

    @Test("an image above the entry limit is refused, and the older one for its key is removed")
    func obeysEntryLimit() {
        let cache = MemoryImageCache(byteLimit: 1_000, entryLimit: 100)
        cache.insert(image(100), for: key(1))
        cache.insert(image(100), for: key(2))
        cache.insert(image(104), for: key(2))
        #expect(cache.image(for: key(1)) != nil)
        #expect(cache.image(for: key(2)) == nil)
        cache.entryLimit = nil
        cache.insert(image(104), for: key(2))
        #expect(cache.image(for: key(2)) != nil)
    }

    @Test("an image that a view shows is found again after its eviction, and counts again from then on")
    func revivesImageInUse() {
        let cache = MemoryImageCache(byteLimit: 100)
        let shown = image(80)
        cache.insert(shown, for: key(1))
        cache.insert(image(60), for: key(2))
        #expect(cache.totalCost == 60)
        #expect(cache.image(for: key(1)) == shown)
        #expect(cache.totalCost == 80)
        #expect(cache.statistics.revivals == 1)
        #expect(cache.statistics.hits == 1)
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
        #expect(cache.totalCost == 1_000)
        shown = nil
        #expect(cache.image(for: key(100)) == nil)
    }

    @Test("an evicted image that nothing else retains is released")
    func forgetsImageOutOfUse() {
        let cache = MemoryImageCache(byteLimit: 100)
        var shown: DecodedImage? = image(80)
        if let shown { cache.insert(shown, for: key(1)) }
        cache.trim(to: 0)
        #expect(shown?.byteCount == 80)
        shown = nil
        #expect(cache.image(for: key(1)) == nil)
        cache.insert(image(80), for: key(2))
        cache.trim(to: 0)
        #expect(cache.image(for: key(2)) == nil)
        #expect(cache.statistics.revivals == 0)
    }

    @Test("the number of evicted images in use that can be found is limited to the latest ones")
    func boundsImagesInUse() {
        let cache = MemoryImageCache(byteLimit: 1_000, inUseLimit: 3)
        let shown = (0..<5).map { _ in image(80) }
        for number in 0..<5 { cache.insert(shown[number], for: key(number)) }
        cache.trim(to: 0)
        #expect((0..<5).filter { cache.image(for: key($0)) != nil } == [2, 3, 4])
        let without = MemoryImageCache(byteLimit: 1_000, inUseLimit: 0)
        without.insert(shown[0], for: key(0))
        without.trim(to: 0)
        #expect(without.image(for: key(0)) == nil)
    }

    @Test("an image that is evicted again counts as the latest of the images in use")
    func remembersLatestEviction() {
        let cache = MemoryImageCache(byteLimit: 1_000, inUseLimit: 2)
        let shown = (0..<2).map { _ in image(80) }
        for number in [0, 0, 1] {
            cache.insert(shown[number], for: key(number))
            cache.trim(to: 0)
        }
        #expect((0..<2).filter { cache.image(for: key($0)) != nil } == [0, 1])
    }

    @Test("images are removed by predicate, including those in use")
    func removesByDescription() {
        let cache = MemoryImageCache(byteLimit: 100)
        let shown = image(80)
        cache.insert(shown, for: key(1))
        cache.insert(image(80), for: key(2))
        cache.removeAll { other, _ in other == key(1) }
        #expect(cache.image(for: key(1)) == nil)
        #expect(cache.image(for: key(2)) != nil)
    }

    @Test("concurrent insertions, lookups and changes of the limit leave an exact cost within the limit")
    func isThreadSafe() async {
        let cache = MemoryImageCache(byteLimit: 2_000)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<500 {
                        cache.insert(image(4 + step % 50 * 4), for: key(step * (task + 1) % 37))
                        _ = cache.image(for: key(step % 37))
                        if step % 100 == 0 { cache.byteLimit = 1_000 + task * 100 }
                    }
                }
            }
        }
        let found = (0..<37).compactMap { cache.image(for: key($0)) }
        #expect(cache.totalCost == found.reduce(0) { $0 + $1.byteCount })
        #expect(cache.totalCost <= cache.byteLimit)
        #expect(cache.count == found.count)
    }
}

/// A key without texts, which costs nothing.
private func key(_ number: Int) -> ImageCacheKey {
    ImageCacheKey(source: "", target: ImageTarget(PixelSize(width: number, height: 1)))
}

/// An image with this cost in bytes, a multiple of four.
private func image(_ byteCount: Int) -> DecodedImage {
    let size = PixelSize(width: byteCount / 4, height: 1)
    return DecodedImage(
        bitmap: Bitmap(size: size, pixels: [UInt8](repeating: 255, count: byteCount), isOpaque: true),
        header: ImageHeader(format: .png, storedSize: size))
}
