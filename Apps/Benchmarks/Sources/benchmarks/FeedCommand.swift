import FeedMeasuring
import Foundation
import ImageCodecJPEG
import ImageCore
import ImageDecoding
import ImageLoaderKit

/// The images of `Scripts/bench-feed`, and the decoding of them without a loader.
///
/// - `benchmarks feed images FOLDER COUNT MEGAPIXELS` writes JPEGs whose sizes are on average that many megapixels.
/// - `benchmarks feed decode FOLDER COUNT` decodes images with this package.
/// - `benchmarks feed libjpeg FOLDER COUNT` decodes them with libjpeg-turbo alone, which can't resize to 300 pixels.
///
/// The last two print a line of JSON.
enum FeedCommand {
    static let usage = """
        benchmarks feed images FOLDER COUNT MEGAPIXELS
               benchmarks feed decode|libjpeg FOLDER COUNT
        """

    private static let cores = ProcessInfo.processInfo.activeProcessorCount

    /// Returns false if the arguments are invalid.
    @concurrent
    static func run(_ arguments: [String]) async throws -> Bool {
        guard arguments.count > 2, let count = Int(arguments[2]), count > 0 else { return false }
        let folder = URL(filePath: arguments[1])
        switch (arguments[0], arguments.count) {
        case ("images", 4):
            guard let megapixels = Double(arguments[3]), (0.1...100).contains(megapixels) else { return false }
            try writeImages(folder, count, megapixels: megapixels)
        case ("decode", 3): try await decode(try read(folder), count)
        case ("libjpeg", 3): try await decodeWithLibjpeg(try read(folder), count)
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

    private static func read(_ folder: URL) throws -> [Data] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        guard !files.isEmpty else { throw FeedRun.Failure.noImages }
        return try files.map { try Data(contentsOf: $0) }
    }

    /// Decodes `count` images on all cores.
    private static func decode(_ images: [Data], _ count: Int) async throws {
        let decoder = ImageDecoders.makeDecoder()
        let request = DecodingRequest(target: FeedRun.target)
        try await FeedRun.measure(count, atOnce: cores) { number in
            let image = try decoder.decode(images[number % images.count], request: request) { false }
            return (image.bitmap.size, .memory)
        }
    }

    /// Decodes `count` images at the smallest scale of libjpeg-turbo that covers the size at which they are shown.
    private static func decodeWithLibjpeg(_ images: [Data], _ count: Int) async throws {
        try await FeedRun.measure(count, atOnce: cores) { number in
            let floor = Floor(PixelSize(width: 1_000, height: 1_000))
            try floor.decode(images[number % images.count], .jpeg(300, 225))
            return (PixelSize(width: 300, height: 225), .memory)
        }
    }
}
