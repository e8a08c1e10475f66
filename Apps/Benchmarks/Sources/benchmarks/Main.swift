import Foundation
import ImageCodecJPEG
import ImageCore
import ImageDecoding
import ImageDiskCaching
import ImageHTTPCaching
import ImageLoading
import ImageLoadingDefaults
import ImageMemoryCaching
import ImageTesting
import ImageTransportCaching

/// Benchmarks of decoding, of processing, of the caches, and of a hit through the loader, each beside its floor in the same run;
/// of the disk cache beside other stores; of loads whose bytes and pixels are fake, beside plain tasks.
///
/// `benchmarks [decode|processing|caches|loader|disk|disk-scale|transport] [--json]`; without a name all of them. Memory of a transport over N
/// requests: `benchmarks transport --soak N`. And what is no time, or not only: hit ratios, `benchmarks eviction`; a list that is scrolled,
/// `benchmarks scroll`.
@main
enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "eviction" { return try EvictionCommand.run(Array(arguments.dropFirst())) }
        if arguments.first == LoopbackOrigin.command { return LoopbackOrigin.serve() }
        if arguments.first == "scroll" {
            guard try ScrollCommand.run(Array(arguments.dropFirst())) else { exit(1) }
            return
        }
        let isJSON = arguments.contains("--json")
        let names = arguments.filter { $0 != "--json" }
        if names.count == 3, names.prefix(2) == ["transport", "--soak"], let requests = Int(names[2]), requests > 0 {
            return try tell([try await TransportSoak.run(requests: requests)], isJSON, SoakFigures.heading, \.line)
        }
        guard names.allSatisfy({ Self.names.contains($0) }) else {
            print(
                """
                usage: benchmarks [\(Self.names.joined(separator: "|"))] [--json]
                       benchmarks transport --soak REQUESTS [--json]
                       benchmarks eviction [TRACE…] [--svg FILE]
                       benchmarks scroll [--json]
                """)
            exit(64)
        }
        if names.isEmpty || names.contains("decode") {
            let results = try DecodingBenchmarks.run(rounds: 9)
            try tell(results, isJSON, Comparison.heading, \.line)
        }
        if names.isEmpty || names.contains("processing") {
            try tell(try await ProcessingBenchmarks.run(samples: 9), isJSON, Measurement.heading, \.line)
        }
        if names.isEmpty || names.contains("caches") { try await caches(isJSON) }
        if names.isEmpty || names.contains("loader") {
            try tell(try await LoaderBenchmarks.run(), isJSON, Figure.heading("loader, processor time of one"), \.line)
        }
        if names.isEmpty || names.contains("disk") {
            try tell(try await DiskBenchmarks.run(), isJSON, DiskComparison.heading, \.line)
        }
        if names.isEmpty || names.contains("disk-scale") {
            try tell(try await DiskScaleBenchmarks.run(), isJSON, Figure.heading("disk, 100,000 entries"), \.line)
        }
        if names.isEmpty || names.contains("transport") {
            try tell(try await TransportBenchmarks.run(), isJSON, TransportComparison.heading, \.line)
        }
    }

    private static let names = ["decode", "processing", "caches", "loader", "disk", "disk-scale", "transport"]

    private static func caches(_ isJSON: Bool) async throws {
        let results = try await withTemporaryFolder { try await memory($0) + disk($0) }
        try tell(results, isJSON, Measurement.heading, \.line)
    }

    private static func tell<Result: Encodable>(
        _ results: [Result], _ isJSON: Bool, _ heading: String, _ line: (Result) -> String
    ) throws {
        if isJSON {
            for result in results { print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self)) }
        } else {
            print(heading)
            for result in results { print(line(result)) }
            // What follows may take a while.
            fflush(nil)
        }
    }

    /// Hits among 1,000 small pictures under URLs of about 60 bytes, in a scattered order.
    @concurrent
    private static func memory(_ folder: URL) async throws -> [Measurement] {
        var configuration = ImageLoaderDefaults(cacheFolder: nil).makeConfiguration()
        let cache = MemoryImageCache(byteLimit: 100_000_000)
        configuration.memoryCache = cache
        let loader = ImageLoader(configuration)
        let target = ImageTarget(PixelSize(width: 300, height: 300))
        let file = folder.appending(path: "small.jpg")
        try JPEGEncoder().encode(Photograph.bitmap(PixelSize(width: 8, height: 8)), options: EncodingOptions()).write(
            to: file)
        let requests = (0..<1000).compactMap { number in
            URL(string: "\(file.absoluteString)?picture=\(number)").map { ImageRequest(url: $0, target: target) }
        }
        for request in requests { _ = try await loader.image(for: request) }
        precondition(requests.allSatisfy { loader.cachedImage(for: $0) != nil }, "every request must be a hit")

        let keys = (0..<1000).map { ImageCacheKey(source: "https://pictures.example.org/albums/17/photos/\($0).jpg") }
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
            Stopwatch.measure("memory hit: ImageLoader.cachedImage(for:)", samples: 2_000, batch: 1_000) {
                if loader.cachedImage(for: requests[$0 &* 677 % 1000]) != nil { found += 1 }
            },
        ]
        precondition(found == 3 * 2_001 * 1_000, "every look-up must be a hit")
        return results
    }

    /// Hits on disk: bytes alone, and a picture of 300 pixels from a JPEG of 200 kB.
    @concurrent
    private static func disk(_ folder: URL) async throws -> [Measurement] {
        let jpeg = try Photograph.jpeg()
        let file = folder.appending(path: "photograph.jpg")
        try jpeg.write(to: file)
        let cache = ImageLoaderDefaults(cacheFolder: nil).makeDiskCache(in: folder.appending(path: "cache"))
        let url = "https://pictures.example.org/albums/17/photos/1.jpg"
        try await cache.store(DataCacheEntry(data: jpeg, createdAt: Date()), for: DataCacheKey(source: "alone"))
        guard let address = URL(string: url) else { return [] }
        let origin = ScriptedTransport()
        origin.script(address, .ok(jpeg))
        let rules = CachingRules(policy: FixedLifetimePolicy(lifetime: .seconds(86_400)))
        let cached = CachingTransport(over: origin, cache: cache, rules: rules) { Date() }
        var configuration = ImageLoaderDefaults(cacheFolder: nil).makeConfiguration()
        (configuration.responseCache, configuration.transport) = (cached, cached)
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
            try await Stopwatch.measure(
                "disk hit, \(jpeg.count / 1000) kB: ImageLoader.data(for:), fresh by HTTP", samples: 1_000
            ) { _ in
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

    private struct Miss: Error {}
}
