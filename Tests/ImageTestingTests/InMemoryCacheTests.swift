import Foundation
import ImageCore
import Testing

@testable import ImageTesting

@Suite("Caches in memory for tests")
struct InMemoryCacheTests {
    private func key(_ name: String) -> DataCacheKey { DataCacheKey(identifier: name) }

    private func entry(_ data: Int, _ metadata: Int = 0) -> DataCacheEntry {
        DataCacheEntry(data: Data(count: data), metadata: Data(count: metadata), creationDate: .distantPast)
    }

    @Test("a data cache evicts the oldest entry, and refuses one above the limit, whose older entry it removes")
    func dataLimit() async throws {
        let cache = InMemoryDataCache(byteLimit: 10)
        for name in ["a", "b"] { try await cache.store(entry(3, 2), for: key(name)) }
        #expect(Set(cache.entries.keys) == [key("a"), key("b")])
        try await cache.store(entry(1), for: key("c"))
        #expect(Set(cache.entries.keys) == [key("b"), key("c")])
        await #expect(throws: DataCacheError.tooLarge(byteCount: 11, byteLimit: 10)) {
            try await cache.store(entry(11), for: key("c"))
        }
        #expect(Set(cache.entries.keys) == [key("b")])
    }

    @Test("a method of a data cache fails so often, or until it recovers, and waits at its gate")
    func faults() async throws {
        let cache = InMemoryDataCache()
        cache.fail(.entry, with: .noSpace, times: 1)
        await #expect(throws: DataCacheError.noSpace) { try await cache.entry(for: key("a")) }
        #expect(try await cache.entry(for: key("a")) == nil)
        cache.fail(.remove, with: .noSpace)
        cache.recover()
        try await cache.remove(for: key("a"))
        let gate = TestGate()
        cache.hold(.store, at: gate)
        let storing = Task { try await cache.store(entry(1), for: key("a")) }
        await gate.waitForArrivals(1)
        #expect(cache.entries.isEmpty && cache.messages.last == .store(key("a"), bytes: 1))
        gate.open()
        try await storing.value
        #expect(cache.entries.count == 1)
    }

    @Test("an image cache evicts expendable images first, and stores none above its limit")
    func imageLimit() {
        let clock = ManualClock()
        let cache = InMemoryImageCache(byteLimit: 12, clock: clock)
        let keys = ["a", "b", "c", "d"].map { ImageRequest(.data(Data(), name: $0)).cacheKey }
        func image(_ width: Int) -> DecodedImage {
            DecodedImage(
                Bitmap(size: PixelSize(width: width, height: 1), pixels: [UInt8](repeating: 0, count: 4 * width)))
        }
        func stored() -> [Bool] { keys.map { cache.images[$0] != nil } }
        let retentions: [MemoryRetention] = [.preferred, .expendable, .preferred]
        for (key, retention) in zip(keys, retentions) { cache.insert(image(1), for: key, retention: retention) }
        cache.insert(image(1), for: keys[3], retention: .preferred)
        #expect(stored() == [true, false, true, true])
        cache.insert(image(4), for: keys[2], retention: .preferred)
        #expect(stored() == [true, false, false, true])
        clock.advance(by: .seconds(1))
        _ = cache.image(for: keys[3])
        cache.removeAll { _, unused in unused == .seconds(1) }
        #expect(stored() == [false, false, false, true])
        for (share, byteCount) in [(2.0, 4), (-1, 0)] {
            cache.trim(toShare: share)
            #expect(cache.byteCount == byteCount)
        }
        #expect(cache.storesImages && !InMemoryImageCache(byteLimit: 0).storesImages)
    }
}
