internal import CTransportFloor
internal import ImageCore
internal import ImageDecoding
internal import ImageLoaderKit

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Shows the images `ORIGIN/0.jpg` and so on at 300 pixels. `Apps/Benchmarks/Scripts/bench-feed` runs it.
///
/// It is a program that has only the loader, so that its memory is that of the loader.
///
/// - `FeedBenchmarks load ORIGIN CACHE COUNT DECODES` requests them as a feed does. CACHE is the folder of the disk
///   cache, and DECODES the number of decodes at a time.
/// - `FeedBenchmarks memory ORIGIN CACHE COUNT ROUNDS` loads them one after the other.
/// - `FeedBenchmarks originals FEED CACHE` and `FeedBenchmarks variants FEED CACHE` load the photos of a list of the demo
///   server. `bench-variants` runs them.
/// - `FeedBenchmarks decode FOLDER COUNT` decodes the images of a folder without a loader, on all cores.
///
/// Each prints a line of JSON for each round.
@main
enum Main {
    /// The number of images that a feed requests at a time: those on the screen and those that it prefetches.
    private static let requestedAtOnce = 40

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let numbers = arguments.dropFirst(arguments.first == "decode" ? 2 : 3).compactMap { Int($0) }
        switch (arguments.first, arguments.count, numbers.count) {
        case ("decode", 3, 1): try await decode(URL(filePath: arguments[1]), numbers[0])
        case ("load", 5, 2):
            let loader = try makeLoader(arguments[2], decodes: numbers[1])
            try await load(arguments[1], numbers[0], atOnce: requestedAtOnce, loader)
        case ("memory", 5, 2):
            let loader = try makeLoader(arguments[2])
            for _ in 0..<numbers[1] { try await load(arguments[1], numbers[0], atOnce: 1, loader) }
        case ("originals", 3, 0), ("variants", 3, 0):
            try await VariantRun.measure(arguments[1], arguments[2], usesVariants: arguments[0] == "variants")
        default:
            print("usage: FeedBenchmarks load ORIGIN CACHE COUNT DECODES")
            print("       FeedBenchmarks memory ORIGIN CACHE COUNT ROUNDS")
            print("       FeedBenchmarks originals FEED CACHE")
            print("       FeedBenchmarks variants FEED CACHE")
            print("       FeedBenchmarks decode FOLDER COUNT")
            exit(64)
        }
    }

    /// - Parameter decodes: The number of decodes at a time, or nil for the default.
    private static func makeLoader(_ cache: String, decodes: Int? = nil) throws -> ImageLoader {
        floor_set_up_allocator()
        return ImageLoader(cacheDirectory: URL(filePath: cache)) { options in
            options.memoryByteLimit = 100_000_000
            options.diskByteLimit = 1_000_000_000
            if let decodes { options.maxDecodes = decodes }
        }
    }

    private static func load(
        _ origin: String, _ count: Int, atOnce concurrency: Int, _ loader: ImageLoader
    ) async throws {
        try await FeedRun.measure(count, atOnce: concurrency) { number in
            guard let url = URL(string: "\(origin)/\(number).jpg") else { throw FeedRun.Failure.invalidURL }
            let image = try await loader.image(for: ImageRequest(url: url, target: FeedRun.target))
            return (image.bitmap.size, image.source)
        }
    }

    private static func decode(_ folder: URL, _ count: Int) async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard !names.isEmpty else { throw FeedRun.Failure.noImages }
        let images = try names.map { try Data(contentsOf: folder.appending(path: $0)) }
        let decoder = DownsamplingDecoder.standard()
        let request = DecodingRequest(target: FeedRun.target)
        try await FeedRun.measure(count, atOnce: ProcessInfo.processInfo.activeProcessorCount) { number in
            let image = try decoder.decode(images[number % images.count], request: request)
            return (image.bitmap.size, .memory)
        }
    }
}
