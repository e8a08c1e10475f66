import Dispatch
public import ImageCore
import ImageTesting

/// The contract of `ImageCache`.
///
/// The rules don't depend on which image a cache evicts first.
public enum ImageCacheContract {
    /// Makes an empty cache with a limit in bytes.
    public typealias Subject = @Sendable (_ byteLimit: Int) -> any ImageCache

    /// Makes an empty cache with a limit in bytes and a clock.
    public typealias Aging = @Sendable (_ byteLimit: Int, _ clock: any Clock<Duration>) -> any ImageCache

    /// The rules of every cache.
    public static var rules: [ContractRule<Subject>] { single + limits + trimming + inUse + concurrent }

    /// The rules of caches with a clock.
    public static let aging: [ContractRule<Aging>] = [
        ContractRule("a predicate receives the time since an image was inserted or last found") { makeCache in
            let clock = ManualClock()
            let cache = makeCache(1_000, clock)
            for number in 1...2 { cache.insert(image(100, number), for: key(number)) }
            clock.advance(by: .seconds(100))
            try expect(cache, has: image(100, 1), for: key(1))
            cache.insert(image(100, 3), for: key(3))
            clock.advance(by: .seconds(10))
            var ages: [ImageCacheKey: Duration] = [:]
            cache.removeAll { key, unusedFor in
                ages[key] = unusedFor
                return unusedFor ?? .zero > .seconds(60)
            }
            let expected: [ImageCacheKey: Duration] = [
                key(1): .seconds(10), key(2): .seconds(110), key(3): .seconds(10),
            ]
            try expect(ages == expected, "received \(ages.values.sorted()), not 10, 10 and 110 seconds")
            try expect(cache, has: nil, for: key(2))
            for number in [1, 3] { try expect(cache, has: image(100, number), for: key(number)) }
        }
    ]

    /// The rules of caches that keep preferred images longer than expendable ones.
    public static let retention: [ContractRule<Subject>] = [
        ContractRule("a thousand expendable images don't evict a preferred one") { makeCache in
            let cache = makeCache(1_000)
            cache.insert(image(100, 0), for: key(0), retention: .preferred)
            for number in 1...1_000 { cache.insert(image(100, number), for: key(number), retention: .expendable) }
            try expect(cache, has: image(100, 0), for: key(0))
            try expect(cache, has: image(100, 1_000), for: key(1_000))
        }
    ]

    private static var single: [ContractRule<Subject>] {
        [
            ContractRule("a cache that is large enough has the last image of each key that was not removed") {
                makeCache in
                let cache = makeCache(2_000)
                var expected: [ImageCacheKey: DecodedImage] = [:]
                var random = SeededRandom(seed: 3)
                for step in 0..<500 {
                    let chosen = key(Int.random(in: 0..<20, using: &random))
                    switch Int.random(in: 0..<50, using: &random) {
                    case 0:
                        cache.removeAll()
                        expected = [:]
                    case 1...5:
                        let unwanted = (0..<step % 20).map(key)
                        cache.removeAll { key, _ in unwanted.contains(key) }
                        for key in unwanted { expected[key] = nil }
                    case 6...15:
                        cache.remove(for: chosen)
                        expected[chosen] = nil
                    default:
                        let image = image(Int.random(in: 1...25, using: &random) * 4, step)
                        cache.insert(image, for: chosen)
                        expected[chosen] = image
                    }
                    for number in 0..<20 { try expect(cache, has: expected[key(number)], for: key(number)) }
                }
                for number in 0..<20 { cache.insert(image(100, number), for: key(number)) }
                for number in 0..<20 { try expect(cache, has: image(100, number), for: key(number)) }
            },
            ContractRule("keys that differ in any part have different images") { makeCache in
                let cache = makeCache(1_000)
                let size = PixelSize(width: 10, height: 10)
                let keys = [
                    ImageCacheKey(identifier: "a"), ImageCacheKey(identifier: "b"), ImageCacheKey(identifier: "A"),
                    ImageCacheKey(identifier: "a", target: ImageTarget(size)),
                    ImageCacheKey(identifier: "a", target: ImageTarget(size, mode: .fill)),
                    ImageCacheKey(identifier: "a", target: ImageTarget(size, upscales: true)),
                    ImageCacheKey(identifier: "a", color: .displayP3),
                    ImageCacheKey(identifier: "a", color: .automatic),
                    ImageCacheKey(identifier: "a", dynamicRange: .high),
                    ImageCacheKey(identifier: "a", processors: ["x"]),
                    ImageCacheKey(identifier: "a", processors: ["x", "y"]),
                    ImageCacheKey(identifier: "a", processors: ["y", "x"]),
                    ImageCacheKey(identifier: "a", processors: ["xy"]),
                ]
                for (number, key) in keys.enumerated() { cache.insert(image(40, number), for: key) }
                for (number, key) in keys.enumerated() { try expect(cache, has: image(40, number), for: key) }
            },
        ]
    }

    private static var limits: [ContractRule<Subject>] {
        [
            ContractRule("the total cost is at most the limit and, if it is reported, that of the images") {
                makeCache in
                let cache = makeCache(1_000)
                var random = SeededRandom(seed: 1)
                for step in 0..<300 {
                    let number = Int.random(in: 0..<30, using: &random)
                    let byteCount = step % 10 == 0 ? 1_004 : Int.random(in: 1...60, using: &random) * 4
                    cache.insert(image(byteCount, step), for: key(number))
                    if step % 7 == 6 { cache.remove(for: key(Int.random(in: 0..<30, using: &random))) }
                    if step % 50 == 49 { cache.trim(toShare: 0.5) }
                    let sum = (0..<30).compactMap { cache.image(for: key($0))?.byteCount }.reduce(0, +)
                    try expect(sum <= 1_000, "\(sum) bytes with a limit of 1000")
                    if let reported = cache.byteCount { try expect(reported == sum, "reports \(reported), not \(sum)") }
                }
                cache.removeAll()
                try expect(cache.byteCount ?? 0 == 0, "reports \(String(describing: cache.byteCount)), not 0")
            },
            ContractRule("an image larger than the limit removes the older one for its key, and evicts no other") {
                makeCache in
                let cache = makeCache(1_000)
                for number in 1...3 { cache.insert(image(300, number), for: key(number)) }
                for number in 3...4 { cache.insert(image(1_004, number), for: key(number)) }
                for number in 1...2 { try expect(cache, has: image(300, number), for: key(number)) }
                for number in 3...4 { try expect(cache, has: nil, for: key(number)) }
            },
            ContractRule("only a cache with a limit of 0 says that it stores no images") { makeCache in
                try expect(!makeCache(0).storesImages, "it says that it stores images within 0 bytes")
                try expect(makeCache(1_000).storesImages, "it says that it stores no images within 1000 bytes")
            },
        ]
    }

    private static var trimming: [ContractRule<Subject>] {
        [
            ContractRule("trimming to a share leaves at most that share of the total cost") { makeCache in
                let cache = makeCache(1_000)
                for number in 1...6 { cache.insert(image(100, number), for: key(number)) }
                cache.trim(toShare: 0.5)
                let left = (1...6).compactMap { cache.image(for: key($0))?.byteCount }.reduce(0, +)
                try expect(left <= 300, "\(left) of 600 bytes are left after trimming to a half")
                cache.trim(toShare: 0)
                for number in 1...6 { try expect(cache, has: nil, for: key(number)) }
            },
            ContractRule("trimming does not change the limit") { makeCache in
                let cache = makeCache(1_000)
                for number in 1...10 { cache.insert(image(100, number), for: key(number)) }
                cache.trim(toShare: 0.25)
                for number in 1...10 { cache.remove(for: key(number)) }
                for number in 11...17 { cache.insert(image(100, number), for: key(number)) }
                for number in 11...17 { try expect(cache, has: image(100, number), for: key(number)) }
            },
        ]
    }

    /// A cache may return an evicted image that is still in use. It must not return an outdated one.
    private static var inUse: [ContractRule<Subject>] {
        [
            ContractRule("an image that is still in use is not found after it was removed") { makeCache in
                let cache = makeCache(1_000)
                let images = (1...3).map { image(400, $0) }
                for number in 1...2 { cache.insert(images[number - 1], for: key(number)) }
                cache.insert(image(1_000, 9), for: key(9))
                cache.remove(for: key(1))
                try expect(cache, has: nil, for: key(1))
                cache.removeAll()
                cache.insert(images[2], for: key(3))
                for number in 1...2 { try expect(cache, has: nil, for: key(number)) }
            },
            ContractRule("an image that is still in use is not found after a newer one replaced it") { makeCache in
                let cache = makeCache(1_000)
                let older = image(400, 1)
                cache.insert(older, for: key(1))
                cache.insert(image(1_000, 2), for: key(2))
                cache.insert(image(400, 3), for: key(1))
                cache.insert(image(1_000, 4), for: key(2))
                try expect(cache.image(for: key(1)) != older, "the older image is found again")
            },
        ]
    }

    private static var concurrent: [ContractRule<Subject>] {
        [
            ContractRule("concurrent inserts for one key leave one of the images unchanged") { makeCache in
                let cache = makeCache(10_000)
                let candidates = (0..<8).map { image(100 + $0 * 4, $0) }
                await withTaskGroup(of: Void.self) { group in
                    for candidate in candidates {
                        group.addTask { for _ in 0..<100 { cache.insert(candidate, for: key(1)) } }
                    }
                }
                guard let left = cache.image(for: key(1)) else { throw ContractViolation("no image is left") }
                try expect(candidates.contains(left), "the image is none of the inserted ones")
            },
            ContractRule("concurrent inserts for many keys lose no image that fits") { makeCache in
                let cache = makeCache(8 * 20 * 40)
                await withTaskGroup(of: Void.self) { group in
                    for task in 0..<8 {
                        group.addTask { fill(cache, with: task * 20..<task * 20 + 20) }
                    }
                }
                for number in 0..<160 { try expect(cache, has: image(40, number), for: key(number)) }
            },
            ContractRule("a predicate of removeAll(where:) may use the cache") { makeCache in
                let cache = makeCache(1_000)
                cache.insert(image(100, 1), for: key(1))
                let isFound = DispatchSemaphore(value: 0)
                var outcome = DispatchTimeoutResult.success
                cache.removeAll { _, _ in
                    // On another thread, because one that waits for its own lock would wait for ever.
                    DispatchQueue(label: "lookup").async {
                        _ = cache.image(for: key(1))
                        isFound.signal()
                    }
                    outcome = isFound.wait(timeout: .now() + .milliseconds(WaitLimit.yields / 10))
                    return false
                }
                try expect(outcome == .success, "a lookup waits until the predicate has returned")
            },
        ]
    }

    private static func fill(_ cache: any ImageCache, with numbers: Range<Int>) {
        for number in numbers {
            cache.insert(image(20, number), for: key(number))
            cache.insert(image(40, number), for: key(number))
            _ = cache.image(for: key((number + 20) % 160))
        }
    }

    /// Returns a key without texts, so that caches that count them have the same costs as others.
    private static func key(_ number: Int) -> ImageCacheKey {
        ImageCacheKey(identifier: "", target: ImageTarget(PixelSize(width: number + 1, height: 1)))
    }

    /// Returns an image with a cost of `byteCount`, a multiple of four. Every part depends on the seed.
    private static func image(_ byteCount: Int, _ seed: Int) -> DecodedImage {
        let size = PixelSize(width: byteCount / 4, height: 1)
        let pixels = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &* 7) }
        return DecodedImage(
            bitmap: Bitmap(size: size, pixels: pixels, isOpaque: false),
            header: ImageHeader(format: .png, storedSize: size, loopCount: seed))
    }

    private static func expect(
        _ cache: any ImageCache, has image: DecodedImage?, for key: ImageCacheKey
    ) throws(ContractViolation) {
        if let difference = difference(of: cache.image(for: key), from: image) {
            throw ContractViolation("\(difference), for \(key)")
        }
    }

    /// Returns which parts of an image differ from those of the expected one, or nil if none does.
    private static func difference(of found: DecodedImage?, from expected: DecodedImage?) -> String? {
        guard let found, let expected else {
            return found == expected ? nil : "found \(text(found)), expected \(text(expected))"
        }
        return Difference.parts([
            ("size", Difference.values(found.bitmap.size, expected: expected.bitmap.size)),
            ("pixels", Difference.bytes(found.bitmap.pixels, expected: expected.bitmap.pixels)),
            ("header", Difference.values(found.header, expected: expected.header)),
            ("image", found == expected ? nil : "not equal"),
        ])
    }

    private static func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(ContractViolation) {
        try ImageContractTesting.expect(condition, message())
    }

    private static func text(_ image: DecodedImage?) -> String {
        image.map { "an image of \($0.byteCount) bytes, number \($0.header.loopCount)" } ?? "nothing"
    }
}
