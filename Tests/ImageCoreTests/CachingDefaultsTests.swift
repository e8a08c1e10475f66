import Foundation
import ImageCore
import ImageTesting
import Testing

@Suite("Defaults of caches, entries and durations")
struct CachingDefaultsTests {
    /// A cache that only logs insertions and removals.
    private final class PlainCache: ImageCache {
        let log = MessageLog<String>()

        func image(for key: ImageCacheKey) -> DecodedImage? { nil }
        func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: MemoryRetention) {
            log.append("\(retention)")
        }
        func remove(for key: ImageCacheKey) {}
        func removeAll() { log.append("all") }
        func removeAll(where isUnwanted: (_ key: ImageCacheKey, _ unusedFor: Duration?) -> Bool) {}
    }

    @Test("a cache that can't be trimmed is emptied, and images are preferred")
    func memory() {
        let cache = PlainCache()
        cache.insert(
            DecodedImage(Bitmap(size: PixelSize(width: 0, height: 0), pixels: [])), for: .init(identifier: "a"))
        cache.trim(toShare: 0.5)
        #expect(cache.log.messages == ["preferred", "all"] && cache.byteCount == nil && cache.storesImages)
    }

    @Test("an entry reads its bytes in a range, clamped to them")
    func entry() {
        let entry = DataCacheEntry(data: Data([9, 0, 1, 2]).dropFirst(), creationDate: .distantPast)
        #expect(entry.byteCount == 3 && entry.bytes(in: 0..<3) == entry.data)
        #expect(entry.bytes(in: 1..<9) == Data([1, 2]) && entry.bytes(in: 0..<1) == Data([0]))
    }

    @Test("durations are rounded to milliseconds, from 1 to a limit")
    func milliseconds() {
        let durations: [Duration] = [.seconds(-1), .microseconds(1_499), .microseconds(1_500), .seconds(9)]
        #expect(durations.map { $0.milliseconds(upTo: 5_000) } == [1, 1, 2, 5_000])
    }
}
