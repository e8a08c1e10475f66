import Foundation
import ImageCore
import ImageMemoryCaching

/// A full cache whose hits are measured.
protocol Subject {
    var name: String { get }
    /// The maximum number of entries that is practical to measure.
    var maximumCount: Int { get }
    /// Looks up the keys in the given order. Returns the number of hits.
    func lookUp(_ order: [Int32]) throws -> Int
}

/// A key that is looked up without copying it, like by a caller that already has it.
struct HeldKey: ~Copyable {
    let key: ImageCacheKey

    @inline(never)
    func isIn(_ cache: MemoryCache<ImageCacheKey, Int>) -> Bool { cache.value(for: key) != nil }
    func isIn(_ cache: MemoryImageCache) -> Bool { cache.image(for: key) != nil }
    func isIn(_ dictionary: [ImageCacheKey: Int]) -> Bool { dictionary[key] != nil }
}

/// Keys with their own strings, which don't share storage with those in the cache.
@safe final class HeldKeys {
    private let keys: UnsafeMutableBufferPointer<HeldKey>

    init(_ count: Int) {
        unsafe keys = .allocate(capacity: count)
        for number in 0..<count {
            unsafe keys.initializeElement(
                at: number, to: HeldKey(key: ImageCacheKey(source: Measuring.url(number))))
        }
    }

    deinit {
        unsafe keys.deinitialize()
        unsafe keys.deallocate()
    }

    /// Returns the number of keys, in the given order, for which `isIn` returns true.
    func count(_ order: [Int32], _ isIn: (borrowing HeldKey) -> Bool) -> Int {
        var found = 0
        for number in order where unsafe isIn(keys[Int(number)]) { found += 1 }
        return found
    }
}

/// `MemoryCache` with a policy.
struct CacheSubject: Subject {
    let name: String
    let maximumCount = Int.max
    private let keys: HeldKeys
    private let cache: MemoryCache<ImageCacheKey, Int>

    init(_ policy: EvictionPolicy, _ count: Int, _ keys: HeldKeys) {
        name = "MemoryCache, \(policy)"
        self.keys = keys
        cache = MemoryCache(limits: CacheLimits(count: count), policy: policy)
        for number in 0..<count { cache.insert(number, for: ImageCacheKey(source: Measuring.url(number))) }
    }

    func lookUp(_ order: [Int32]) -> Int { keys.count(order) { $0.isIn(cache) } }
}

/// `MemoryImageCache`.
struct ImageSubject: Subject {
    let name = "MemoryImageCache"
    let maximumCount = Int.max
    private let keys: HeldKeys
    private let cache = MemoryImageCache(byteLimit: .max)

    init(_ count: Int, _ keys: HeldKeys) {
        self.keys = keys
        let size = PixelSize(width: 1, height: 1)
        for number in 0..<count {
            let bitmap = Bitmap(size: size, pixels: [0, 0, 0, 255], isOpaque: true)
            let image = DecodedImage(bitmap: bitmap, header: ImageHeader(format: .jpeg, storedSize: size))
            cache.insert(image, for: ImageCacheKey(source: Measuring.url(number)))
        }
    }

    func lookUp(_ order: [Int32]) -> Int { keys.count(order) { $0.isIn(cache) } }
}

/// A plain `Dictionary` without lock, limit or eviction order.
struct DictionarySubject: Subject {
    let name = "Dictionary alone"
    let maximumCount = Int.max
    private let keys: HeldKeys
    private let dictionary: [ImageCacheKey: Int]

    init(_ count: Int, _ keys: HeldKeys) {
        self.keys = keys
        dictionary = Dictionary(
            uniqueKeysWithValues: (0..<count).map { (ImageCacheKey(source: Measuring.url($0)), $0) })
    }

    func lookUp(_ order: [Int32]) -> Int { keys.count(order) { $0.isIn(dictionary) } }
}

/// `NSCache`, with keys that are already objects.
struct FoundationSubject: Subject {
    let name = "NSCache"
    let maximumCount = 20_000
    private let keys: [NSString]
    private let cache = NSCache<NSString, NSNumber>()

    init(_ count: Int) {
        keys = (0..<count).map { NSString(string: Measuring.url($0)) }
        for number in 0..<min(count, maximumCount) {
            cache.setObject(NSNumber(value: number), forKey: NSString(string: Measuring.url(number)), cost: 1)
        }
    }

    func lookUp(_ order: [Int32]) -> Int {
        order.count { cache.object(forKey: keys[Int($0)]) != nil }
    }
}

/// A typical naive cache: an actor with an array in the order of use.
actor OrderedArrayCache {
    private var values: [String: Int] = [:]
    private var order: [String] = []

    func insert(_ value: Int, for key: String) {
        values[key] = value
        order.append(key)
    }

    func value(for key: String) -> Int? {
        guard let value = values[key] else { return nil }
        if let index = order.firstIndex(of: key) { order.append(order.remove(at: index)) }
        return value
    }
}
