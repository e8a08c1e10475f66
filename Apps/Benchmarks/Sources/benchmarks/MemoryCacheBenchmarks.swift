import Foundation
import ImageCore
import ImageMemoryCaching
import ImageTesting

/// Measures hits of the memory cache, beside a dictionary and `NSCache`, and insertions that evict.
///
/// Times are the processor time of one operation, the minimum of five rounds in which the subjects alternate.
enum MemoryCacheBenchmarks {
    /// A full cache, and whether it has the key with a number.
    private typealias Subject = (name: String, isHit: (Int) -> Bool)

    private static let rounds = 5
    private static let policies: [EvictionPolicy] = [.lru, .s3FIFO, .gdsf]

    static func run() throws -> [Figure] { try hits(1_000) + hits(10_000) + insertions(10_000) }

    private static func hits(_ count: Int) throws -> [Figure] {
        let order = randomNumbers(below: count, length: 500_000)
        let subjects = subjects(count)
        var least = subjects.map { _ in Double.infinity }
        for _ in 0..<rounds {
            for (index, subject) in subjects.enumerated() {
                var found = 0
                let time = Stopwatch.processorMilliseconds {
                    for number in order where subject.isHit(number) { found += 1 }
                }
                guard found == order.count else { throw Miss() }
                least[index] = min(least[index], time * 1e6 / Double(order.count))
            }
        }
        var figures = zip(subjects, least).map {
            Figure(name: "memory hit among \(count): \($0.name)", value: $1, unit: "ns")
        }
        if count == 1_000 {
            figures[0].goal = 200
            figures[1].ratio = least[0] / least[1]
            figures[1].name += ", MemoryImageCache to it"
            figures[1].goal = 0.4
        }
        return figures
    }

    /// Returns the subjects: `MemoryImageCache`, `NSCache` and others. Each is looked up with other strings than it has.
    private static func subjects(_ count: Int) -> [Subject] {
        let keys = (0..<count).map(key)
        let size = PixelSize(width: 1, height: 1)
        let images = MemoryImageCache(byteLimit: .max)
        let objects = NSCache<NSString, NSNumber>()
        let names = (0..<count).map { NSString(string: key($0).identifier) }
        for number in 0..<count {
            let bitmap = Bitmap(size: size, pixels: [0, 0, 0, 255], isOpaque: true)
            images.insert(
                DecodedImage(bitmap: bitmap, header: ImageHeader(format: .jpeg, storedSize: size)), for: key(number))
            objects.setObject(NSNumber(value: number), forKey: NSString(string: key(number).identifier), cost: 1)
        }
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<count).map { (key($0), $0) })
        let caches = policies.map { policy -> Subject in
            let cache = fullCache(count, policy)
            return ("MemoryCache, \(policy.name)", { cache.value(for: keys[$0]) != nil })
        }
        return [
            ("MemoryImageCache", { images.image(for: keys[$0]) != nil }),
            ("NSCache", { objects.object(forKey: names[$0]) != nil }),
            ("Dictionary alone", { dictionary[keys[$0]] != nil }),
        ] + caches
    }

    /// Measures insertions of new keys into a full cache in an order that hits have mixed. Each evicts an entry.
    private static func insertions(_ count: Int) -> [Figure] {
        policies.map { policy in
            let cache = fullCache(count, policy)
            for number in randomNumbers(below: count, length: 2 * count) { _ = cache.value(for: key(number)) }
            let least = (1...rounds).map { round in
                let first = count + round * 50_000
                let keys = (first..<first + 50_000).map(key)
                return Stopwatch.processorMilliseconds { for key in keys { cache.insert(0, for: key) } } * 1e6 / 50_000
            }.min()
            return Figure(
                name: "insertion that evicts, of \(count): MemoryCache, \(policy.name)", value: least ?? .infinity,
                unit: "ns")
        }
    }

    private static func fullCache(_ count: Int, _ policy: EvictionPolicy) -> MemoryCache<ImageCacheKey, Int> {
        let cache = MemoryCache<ImageCacheKey, Int>(limits: CacheLimits(count: count), policy: policy)
        for number in 0..<count { cache.insert(number, for: key(number)) }
        return cache
    }

    /// Returns a key with a URL of 58 bytes.
    private static func key(_ number: Int) -> ImageCacheKey {
        ImageCacheKey(
            identifier: "https://cdn.example.com/photos/2024/11/IMG_" + String(format: "%08d", number) + ".jpg?w=1080")
    }

    private static func randomNumbers(below count: Int, length: Int) -> [Int] {
        var random = SeededRandom(seed: 7)
        return (0..<length).map { _ in Int.random(in: 0..<count, using: &random) }
    }
}

/// An entry that should be in the cache is missing.
struct Miss: Error {}
