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

/// Measures hits in memory and on disk, each next to a baseline (floor). Times without a processor are wall-clock medians.
enum CacheBenchmarks {
    private static let target = ImageTarget(PixelSize(width: 300, height: 300))

    static func run() async throws -> [Figure] {
        let hits = try await withTemporaryFolder { try await [memoryHit($0)] + disk($0) }
        return try MemoryCacheBenchmarks.run() + hits
    }

    /// Measures hits among 1,000 small images with URLs of about 60 bytes, in pseudorandom order.
    @concurrent
    private static func memoryHit(_ folder: URL) async throws -> Figure {
        var configuration = ImageLoaderOptions(cacheDirectory: nil).makeParts()
        configuration.memoryCache = MemoryImageCache(byteLimit: 100_000_000)
        let loader = ImageLoader(configuration)
        let file = folder.appending(path: "small.jpg")
        try JPEGEncoder().encode(Photograph.bitmap(PixelSize(width: 8, height: 8)), options: EncodingOptions()).write(
            to: file)
        let requests = (0..<1000).compactMap { number in
            URL(string: "\(file.absoluteString)?image=\(number)").map { ImageRequest(url: $0, target: target) }
        }
        for request in requests { _ = try await loader.image(for: request) }
        var found = 0
        var figure = Stopwatch.median("memory hit: ImageLoader.cachedImage(for:)", samples: 2_000, batch: 1_000) {
            if loader.cachedImage(for: requests[$0 &* 677 % 1000]) != nil { found += 1 }
        }
        guard found == 2_001 * 1_000 else { throw Miss() }
        figure.goal = 400
        return figure
    }

    /// Measures disk hits: only the bytes, and an image of 300 pixels from a JPEG of 200 kB.
    @concurrent
    private static func disk(_ folder: URL) async throws -> [Figure] {
        let jpeg = try Photograph.jpeg()
        let file = folder.appending(path: "photograph.jpg")
        try jpeg.write(to: file)
        let cache = ImageLoaderOptions(cacheDirectory: nil).makeDiskCache(in: folder.appending(path: "cache"))
        let key = DataCacheKey(identifier: "alone")
        try await cache.store(DataCacheEntry(data: jpeg, creationDate: Date()), for: key)
        guard let url = URL(string: "https://images.example.org/albums/17/photos/1.jpg") else { return [] }
        let loader = makeLoader(jpeg, url, cache)
        let decoder = DownsamplingDecoder.standard()
        let request = ImageRequest(url: url, target: target, cachePolicy: .diskOnly)
        _ = try await loader.data(for: request)
        let size = "\(jpeg.count / 1000) kB"

        var fresh = try await Stopwatch.median(
            "disk hit, \(size): ImageLoader.data(for:), fresh by HTTP", samples: 1_000
        ) {
            _ in
            guard try await loader.data(for: request).source == .disk else { throw Miss() }
        }
        fresh.goal = 100
        return [
            Stopwatch.median("disk hit, \(size): read of a plain file (floor)", samples: 300, batch: 10) { _ in
                _ = FileManager.default.contents(atPath: file.path)
            },
            try await Stopwatch.median("disk hit, \(size): DiskDataCache.entry(for:)", samples: 3_000) { _ in
                guard try await cache.entry(for: key) != nil else { throw Miss() }
            },
            fresh,
            try await Stopwatch.median("300 px from \(size): decoding alone (floor)", samples: 200) { _ in
                _ = try decoder.decode(jpeg, request: DecodingRequest(target: target))
            },
            try await Stopwatch.median("300 px from \(size): ImageLoader, disk hit", samples: 200) { _ in
                guard try await loader.image(for: request).source == .disk else { throw Miss() }
            },
        ]
    }

    /// Returns a loader that loads a file from `url`, fresh for a day.
    private static func makeLoader(_ file: Data, _ url: URL, _ cache: DiskDataCache) -> ImageLoader {
        let origin = ScriptedTransport()
        origin.script(url, .ok(file))
        let options = CachingOptions(policy: FixedLifetimePolicy(lifetime: .seconds(86_400)))
        var configuration = ImageLoaderOptions(cacheDirectory: nil).makeParts()
        configuration.transport = .cached(CachingTransport(over: origin, cache: cache, options: options))
        return ImageLoader(configuration)
    }
}
