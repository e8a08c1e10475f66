import Foundation
import ImageCodecAVIF
import ImageCodecGIF
import ImageCodecHEIF
import ImageCodecJPEG
import ImageCodecJXL
import ImageCodecPNG
import ImageCodecWebP
import ImageCore
import ImageDecoding
import ImageLoaderKit

/// Compares decoding of generated images with the C libraries alone on the same bytes.
///
/// Both sides write into reused memory. For a smaller size, the baseline only does what the C library supports: libjpeg
/// decodes at the next scale that covers the target, libwebp resizes with low quality, and libpng doesn't resize.
enum DecodingBenchmarks {
    static func run(rounds: Int) throws -> [Figure] {
        try jpeg(rounds) + progressive(rounds) + png(rounds) + webp(rounds) + optional(rounds) + animations(rounds)
    }

    private static let thumbnail = ImageTarget(PixelSize(width: 300, height: 300))
    private static let fastThumbnail = ImageTarget(PixelSize(width: 300, height: 300), preference: .speed)
    private static let screen = ImageTarget(PixelSize(width: 1080, height: 1080))

    private static func jpeg(_ rounds: Int) throws -> [Figure] {
        let photograph = Photograph.bitmap(PixelSize(width: 4032, height: 3024))
        let image = Subject(try JPEGEncoder().encode(photograph, options: EncodingOptions()))
        let floor = Floor(photograph.size)
        let small = { try floor.decode(image.data, .jpeg(300, 225)) }
        return [
            try compare("JPEG, 12 MP, to 300 px", rounds, { try image.decode(thumbnail) }, small),
            try compare("JPEG, 12 MP, to 300 px, for speed", rounds, { try image.decode(fastThumbnail) }, small),
            try compare("JPEG, 12 MP, to 1080 px", rounds, { try image.decode(screen) }) {
                try floor.decode(image.data, .jpeg(1080, 810))
            },
            try compare("JPEG, 12 MP, in full", rounds, { try image.decode(nil) }) {
                try floor.decode(image.data, .jpeg(0, 0))
            },
        ]
    }

    private static func progressive(_ rounds: Int) throws -> [Figure] {
        let photograph = Photograph.bitmap(PixelSize(width: 4032, height: 3024))
        let image = Subject(try JPEGEncoder().encode(photograph, options: EncodingOptions(isProgressive: true)))
        let floor = Floor(photograph.size)
        let small = { try floor.decode(image.data, .jpeg(300, 225)) }
        return [
            try compare("progressive JPEG, 12 MP, to 300 px", rounds, { try image.decode(thumbnail) }, small),
            try compare(
                "progressive JPEG, 12 MP, to 300 px, for speed", rounds, { try image.decode(fastThumbnail) }, small),
        ]
    }

    private static func png(_ rounds: Int) throws -> [Figure] {
        let photograph = Photograph.bitmap(PixelSize(width: 2560, height: 1600))
        let image = Subject(try PNGEncoder().encode(photograph, options: EncodingOptions()))
        let floor = Floor(photograph.size)
        return [
            try compare("PNG, 4 MP, to 300 px", rounds, { try image.decode(thumbnail) }) {
                try floor.decode(image.data, .png(keepsRows: false))
            },
            try compare("PNG, 4 MP, in full", rounds, { try image.decode(nil) }) {
                try floor.decode(image.data, .png(keepsRows: true))
            },
        ]
    }

    private static func webp(_ rounds: Int) throws -> [Figure] {
        let photograph = Photograph.bitmap(PixelSize(width: 2560, height: 1600))
        let lossy = Subject(try WebPEncoder().encode(photograph, options: EncodingOptions()))
        let lossless = Subject(
            try WebPEncoder().encode(
                Photograph.bitmap(PixelSize(width: 1280, height: 800)), options: EncodingOptions(isLossless: true)))
        let floor = Floor(photograph.size)
        return [
            try compare("WebP, lossy, 4 MP, to 300 px", rounds, { try lossy.decode(thumbnail) }) {
                try floor.decode(lossy.data, .webp(300, 188))
            },
            try compare("WebP, lossy, 4 MP, in full", rounds, { try lossy.decode(nil) }) {
                try floor.decode(lossy.data, .webp(0, 0))
            },
            try compare("WebP, lossless, 1 MP, in full", rounds, { try lossless.decode(nil) }) {
                try floor.decode(lossless.data, .webp(0, 0))
            },
        ]
    }

    /// Returns the rows of the formats that are enabled by traits. The baseline decodes in full.
    private static func optional(_ rounds: Int) throws -> [Figure] {
        var rows: [Figure] = []
        #if AVIF
            rows += try compare("AVIF, 4 MP", rounds, AVIFEncoder(), .avif)
        #endif
        #if HEIF
            rows += try compare("HEIC, 4 MP", rounds, HEIFEncoder(), .heif)
        #endif
        #if JXL
            rows += try compare("JPEG XL, 4 MP", rounds, JXLEncoder(), .jxl)
        #endif
        return rows
    }

    private static func compare(
        _ name: String, _ rounds: Int, _ encoder: any ImageEncoder, _ work: Floor.Work
    ) throws -> [Figure] {
        let photograph = Photograph.bitmap(PixelSize(width: 2560, height: 1600))
        let image = Subject(try encoder.encode(photograph, options: EncodingOptions()))
        let floor = Floor(photograph.size)
        let full = { try floor.decode(image.data, work) }
        return [
            try compare("\(name), to 300 px", rounds, { try image.decode(thumbnail) }, full),
            try compare("\(name), in full", rounds, { try image.decode(nil) }, full),
        ]
    }

    private static func animations(_ rounds: Int) throws -> [Figure] {
        let frames = Photograph.pan(PixelSize(width: 480, height: 320), frames: 30)
        let gif = Subject(try GIFEncoder().encode(frames, loopCount: 0, options: EncodingOptions()))
        let webp = Subject(try WebPEncoder().encode(frames, loopCount: 0, options: EncodingOptions()))
        let floor = Floor(PixelSize(width: 480, height: 320))
        return [
            try compare("GIF, 30 frames of 480 x 320, all", rounds, { try gif.decodeFrames() }) {
                try floor.decode(gif.data, .gif)
            },
            try compare("animated WebP, 30 frames of 480 x 320, all", rounds, { try webp.decodeFrames() }) {
                try floor.decode(webp.data, .webpAnimation)
            },
        ]
    }

    /// Returns the processor time of all threads in `ours`, and its ratio to that in `floor`, each the minimum of samples
    /// that alternate after a warm-up.
    private static func compare(
        _ name: String, _ rounds: Int, _ ours: () throws -> Void, _ floor: () throws -> Void
    ) throws -> Figure {
        try ours()
        try floor()
        var least = (ours: Double.infinity, floor: Double.infinity)
        for _ in 0..<rounds {
            least.ours = min(least.ours, try Stopwatch.processorMilliseconds(ours))
            least.floor = min(least.floor, try Stopwatch.processorMilliseconds(floor))
        }
        return Figure(name: name, value: least.ours, unit: "ms", ratio: least.ours / least.floor)
    }
}

/// An encoded image, decoded through the public API.
private struct Subject {
    let data: Data
    private let decoder = DownsamplingDecoder.standard(.all, idleByteLimit: DecodingLimits.default.decodedByteLimit)

    init(_ data: Data) { self.data = data }

    func decode(_ target: ImageTarget?) throws {
        _ = try decoder.decode(data, request: DecodingRequest(target: target))
    }

    /// Decodes all frames in order and keeps only one in memory.
    func decodeFrames() throws {
        let reader = try decoder.makeFrameReader(of: data)
        for index in 0..<(try decoder.header(of: data).frameCount) { _ = try reader.frame(at: index) }
    }
}
