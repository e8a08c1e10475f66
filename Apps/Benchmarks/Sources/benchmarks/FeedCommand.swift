import CTransportFloor
import Foundation
import ImageCodecJPEG
import ImageCore
import ImageDecoding
import ImageLoaderKit

/// The subcommands that `Scripts/bench-feed` runs in processes of their own, so that each has its own time and memory.
///
/// - `benchmarks feed images FOLDER COUNT MEGAPIXELS` writes JPEGs whose sizes are on average that many megapixels.
/// - `benchmarks feed decode FOLDER COUNT` decodes images without a loader.
/// - `benchmarks feed libjpeg FOLDER COUNT` decodes them with libjpeg-turbo alone, which can't resize to 300 pixels.
/// - `benchmarks feed load ORIGIN CACHE COUNT` loads the images `ORIGIN/0.jpg` and so on.
/// - `benchmarks feed memory ORIGIN CACHE COUNT ROUNDS` loads them one after the other, and measures memory.
///
/// The last four print lines of JSON.
enum FeedCommand {
    static let usage = """
        benchmarks feed images FOLDER COUNT MEGAPIXELS
               benchmarks feed decode|libjpeg FOLDER COUNT
               benchmarks feed load ORIGIN CACHE COUNT
               benchmarks feed memory ORIGIN CACHE COUNT ROUNDS
        """

    private static let shown = ImageTarget(PixelSize(width: 300, height: 300))
    /// The number of images that a feed requests at a time: those on the screen and those that it prefetches.
    private static let requestedAtOnce = 40

    /// Returns false if the arguments are invalid.
    @concurrent
    static func run(_ arguments: [String]) async throws -> Bool {
        let text = Array(arguments.prefix(arguments.first == "load" || arguments.first == "memory" ? 3 : 2).dropFirst())
        let numbers = arguments.dropFirst(text.count + 1).compactMap(Double.init)
        guard arguments.count == 1 + text.count + numbers.count, numbers.allSatisfy({ $0 > 0 && $0 < 1e6 }) else {
            return false
        }
        switch (arguments.first, text.count, numbers.count) {
        case ("images", 1, 2): try writeImages(URL(filePath: text[0]), Int(numbers[0]), megapixels: numbers[1])
        case ("decode", 1, 1): try await decode(URL(filePath: text[0]), Int(numbers[0]))
        case ("libjpeg", 1, 1): try await decodeWithLibjpeg(URL(filePath: text[0]), Int(numbers[0]))
        case ("load", 2, 1): try await load(try makeLoader(text[1]), text[0], Int(numbers[0]))
        case ("memory", 2, 2): try await measureMemory(text[0], text[1], Int(numbers[0]), Int(numbers[1]))
        default: return false
        }
        return true
    }

    /// Writes images of different sizes, from 0.4 to 1.6 times the mean, as 0.jpg and so on.
    private static func writeImages(_ folder: URL, _ count: Int, megapixels: Double) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 0..<count {
            let share = count == 1 ? 1 : 0.4 + 1.2 * Double(number) / Double(count - 1)
            let side = (megapixels * 1e6 * share / 12).squareRoot()
            let size = PixelSize(width: Int(side * 4), height: Int(side * 3))
            let jpeg = try JPEGEncoder().encode(Photograph.bitmap(size), options: EncodingOptions(quality: 0.85))
            try jpeg.write(to: folder.appending(path: "\(number).jpg"))
        }
    }

    /// Decodes `count` images on all cores, with the bytes in memory.
    private static func decode(_ folder: URL, _ count: Int) async throws {
        let images = try read(folder)
        let decoder = ImageDecoders.makeDecoder()
        let request = DecodingRequest(target: shown)
        try await report(count) {
            try await forEach(count, atOnce: cores) { number in
                let image = try decoder.decode(images[number % images.count], request: request) { false }
                return (image.bitmap.size, .memory)
            }
        }
    }

    /// Decodes `count` images at the smallest scale of libjpeg-turbo that covers the size at which they are shown.
    private static func decodeWithLibjpeg(_ folder: URL, _ count: Int) async throws {
        let images = try read(folder)
        try await report(count) {
            try await forEach(count, atOnce: cores) { number in
                let floor = Floor(PixelSize(width: 1_000, height: 1_000))
                try floor.decode(images[number % images.count], .jpeg(300, 225))
                return (shown.size, .memory)
            }
        }
    }

    private static var cores: Int { ProcessInfo.processInfo.activeProcessorCount }

    private static func read(_ folder: URL) throws -> [Data] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        guard !files.isEmpty else { throw FeedFailure.noImages }
        return try files.map { try Data(contentsOf: $0) }
    }

    private static func makeLoader(_ cache: String) throws -> ImageLoader {
        try ImageLoader(cacheDirectory: URL(filePath: cache)) { options in
            options.memoryByteLimit = 100_000_000
            options.diskByteLimit = 1_000_000_000
        }
    }

    private static func load(_ loader: ImageLoader, _ origin: String, _ count: Int) async throws {
        try await report(count) {
            try await forEach(count, atOnce: requestedAtOnce) { number in
                try await image(number, of: origin, loader)
            }
        }
    }

    private static func image(
        _ number: Int, of origin: String, _ loader: ImageLoader
    ) async throws -> (PixelSize, ImageSource) {
        guard let url = URL(string: "\(origin)/\(number).jpg") else { throw FeedFailure.invalidURL }
        let image = try await loader.image(for: ImageRequest(url: url, target: shown))
        return (image.bitmap.size, image.source)
    }

    /// Loads the images one after the other, `rounds` times.
    private static func measureMemory(_ origin: String, _ cache: String, _ count: Int, _ rounds: Int) async throws {
        let loader = try makeLoader(cache)
        for _ in 0..<rounds {
            try await report(count) {
                try await forEach(count, atOnce: 1) { number in try await image(number, of: origin, loader) }
            }
        }
    }

    /// Calls `body` with the numbers below `count` in order, in `atOnce` tasks. Returns how many images each source had.
    private static func forEach(
        _ count: Int, atOnce: Int, _ body: @escaping @Sendable (Int) async throws -> (PixelSize, ImageSource)
    ) async throws -> [ImageSource: Int] {
        var sources: [ImageSource: Int] = [:]
        try await withThrowingTaskGroup(of: ImageSource.self) { group in
            for number in 0..<count {
                if number >= atOnce, let source = try await group.next() { sources[source, default: 0] += 1 }
                group.addTask {
                    let (size, source) = try await body(number)
                    guard max(size.width, size.height) == 300 else { throw FeedFailure.wrongSize }
                    return source
                }
            }
            for try await source in group { sources[source, default: 0] += 1 }
        }
        return sources
    }

    /// Prints the time and the memory of the process as JSON.
    private static func report(_ count: Int, _ body: () async throws -> [ImageSource: Int]) async throws {
        let (start, processor) = (ContinuousClock.now, Stopwatch.processorNanoseconds())
        let sources = try await body()
        let run = FeedRun(
            images: count, seconds: (ContinuousClock.now - start) / .seconds(1),
            processorSeconds: Double(Stopwatch.processorNanoseconds() - processor) / 1e9,
            residentBytes: Int(floor_resident_bytes()), peakBytes: Int(floor_peak_resident_bytes()),
            sources: Dictionary(uniqueKeysWithValues: sources.map { ($0.key.rawValue, $0.value) }))
        print(String(decoding: try JSONEncoder().encode(run), as: UTF8.self))
        fflush(nil)
    }
}

/// The time and memory of showing images.
private struct FeedRun: Encodable {
    var images: Int
    var seconds: Double
    /// The processor time of all threads.
    var processorSeconds: Double
    /// The resident memory of the process at the end.
    var residentBytes: Int
    /// The greatest resident memory of the process so far.
    var peakBytes: Int
    /// How many images each source had.
    var sources: [String: Int]
}

/// A problem that makes the measurement invalid.
private enum FeedFailure: Error {
    case noImages
    case invalidURL
    /// An image didn't have the size at which it is shown.
    case wrongSize
}
