import Foundation
import ImageCodecJPEG
import ImageCore
import ImageDecoding
import ImageDiskCaching
import ImageHTTPCaching
import ImageLoaderKit
import ImageLoading
import ImageMemoryCaching
import ImageTesting
import ImageTransporting

/// Measures hits in memory and on disk, each next to a baseline (floor).
enum CacheBenchmarks {
    private static let cachedImage = "memory hit: ImageLoader.cachedImage(for:)"
    private static let freshData = "ImageLoader.data(for:), fresh by HTTP"

    static func run() async throws -> [Measurement] {
        try await withTemporaryFolder { try await memory($0) + disk($0) }
    }

    /// Measures hits through the loader and compares them with their budgets.
    static func loaderHits() async throws -> [Figure] {
        try await run().compactMap { measurement in
            let (name, median) = (measurement.name, measurement.medianNanoseconds)
            if name == cachedImage { return Figure(name: name, value: median, unit: "ns", goal: 400) }
            if name.hasSuffix(freshData) { return Figure(name: name, value: median / 1_000, unit: "µs", goal: 100) }
            return nil
        }
    }

    /// Measures hits among 1,000 small images with URLs of about 60 bytes, in pseudorandom order.
    @concurrent
    private static func memory(_ folder: URL) async throws -> [Measurement] {
        var configuration = ImageLoaderOptions(cacheDirectory: nil).makeConfiguration()
        let cache = MemoryImageCache(byteLimit: 100_000_000)
        configuration.memoryCache = cache
        let loader = ImageLoader(configuration)
        let target = ImageTarget(PixelSize(width: 300, height: 300))
        let file = folder.appending(path: "small.jpg")
        try JPEGEncoder().encode(Photograph.bitmap(PixelSize(width: 8, height: 8)), options: EncodingOptions()).write(
            to: file)
        let requests = (0..<1000).compactMap { number in
            URL(string: "\(file.absoluteString)?image=\(number)").map { ImageRequest(url: $0, target: target) }
        }
        for request in requests { _ = try await loader.image(for: request) }
        precondition(requests.allSatisfy { loader.cachedImage(for: $0) != nil }, "every request must be a hit")

        let keys = (0..<1000).map { ImageCacheKey(source: "https://images.example.org/albums/17/photos/\($0).jpg") }
        let image = DecodedImage(
            bitmap: Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 255], isOpaque: true),
            header: ImageHeader(format: .png, storedSize: PixelSize(width: 1, height: 1)))
        for key in keys { cache.insert(image, for: key) }
        let dictionary = Dictionary(uniqueKeysWithValues: keys.map { ($0, image) })
        var found = 0
        let results = [
            Stopwatch.measure("memory hit: Dictionary alone (floor)", samples: 2_000, batch: 1_000) {
                if dictionary[keys[$0 &* 677 % 1000]] != nil { found += 1 }
            },
            Stopwatch.measure("memory hit: MemoryImageCache.image(for:)", samples: 2_000, batch: 1_000) {
                if cache.image(for: keys[$0 &* 677 % 1000]) != nil { found += 1 }
            },
            Stopwatch.measure(cachedImage, samples: 2_000, batch: 1_000) {
                if loader.cachedImage(for: requests[$0 &* 677 % 1000]) != nil { found += 1 }
            },
        ]
        precondition(found == 3 * 2_001 * 1_000, "every look-up must be a hit")
        return results
    }

    /// Measures disk hits: only the bytes, and an image of 300 pixels from a JPEG of 200 kB.
    @concurrent
    private static func disk(_ folder: URL) async throws -> [Measurement] {
        let jpeg = try Photograph.jpeg()
        let file = folder.appending(path: "photograph.jpg")
        try jpeg.write(to: file)
        let cache = ImageLoaderOptions(cacheDirectory: nil).makeDiskCache(in: folder.appending(path: "cache"))
        let url = "https://images.example.org/albums/17/photos/1.jpg"
        try await cache.store(DataCacheEntry(data: jpeg, createdAt: Date()), for: DataCacheKey(source: "alone"))
        guard let address = URL(string: url) else { return [] }
        let origin = ScriptedTransport()
        origin.script(address, .ok(jpeg))
        let rules = CachingRules(policy: FixedLifetimePolicy(lifetime: .seconds(86_400)))
        let cached = CachingTransport(over: origin, cache: cache, rules: rules) { Date() }
        var configuration = ImageLoaderOptions(cacheDirectory: nil).makeConfiguration()
        configuration.transport = .cached(cached)
        let loader = ImageLoader(configuration)
        let target = ImageTarget(PixelSize(width: 300, height: 300))
        let decoder = ImageDecoders.makeDecoder()
        let request = ImageRequest(url: address, target: target, cachePolicy: .diskOnly)
        _ = try await loader.data(for: request)

        return [
            Stopwatch.measure(
                "disk hit, \(jpeg.count / 1000) kB: read of a plain file (floor)", samples: 300, batch: 10
            ) { _ in
                _ = FileManager.default.contents(atPath: file.path)
            },
            try await Stopwatch.measure("disk hit, \(jpeg.count / 1000) kB: DiskDataCache.entry(for:)", samples: 3_000)
            { _ in
                guard try await cache.entry(for: DataCacheKey(source: "alone")) != nil else { throw Miss() }
            },
            try await Stopwatch.measure("disk hit, \(jpeg.count / 1000) kB: \(freshData)", samples: 1_000) { _ in
                guard try await loader.data(for: request).source == .disk else { throw Miss() }
            },
            try await Stopwatch.measure("300 px from \(jpeg.count / 1000) kB: decoding alone (floor)", samples: 200) {
                _ in
                _ = try decoder.decode(jpeg, request: DecodingRequest(target: target)) { false }
            },
            try await Stopwatch.measure("300 px from \(jpeg.count / 1000) kB: ImageLoader, disk hit", samples: 200) {
                _ in
                guard try await loader.image(for: request).source == .disk else { throw Miss() }
            },
        ]
    }

    /// An entry that should be in the cache is missing.
    private struct Miss: Error {}
}
