import Foundation
import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageCore
import ImageDecoding
import ImageProcessing
import ImageThumbHash
import Testing

@testable import ImageLoaderKit

/// Decoding, encoding and processing.
extension ExtremeCase {
    static var images: [ExtremeCase] {
        [decodingTargets, pointTargets, limits, frames] + processing + [encoders, hashes]
    }

    private static var files: [Data] {
        get throws {
            try [any ImageEncoder].standard.map { try $0.encode(bitmap(16, 12), options: EncodingOptions()) }
        }
    }

    private static let decodingTargets = ExtremeCase("decoding to a target") {
        for file in try files {
            for target in targets { expectTyped { try decode(file, DownsamplingDecoder.standard(), target) } }
        }
    }

    private static let pointTargets = ExtremeCase("targets in points") {
        for side in doubles {
            for scale in doubles {
                let size = ImageTarget(points: (side, 1), scale: scale).size
                #expect((1...65_535).contains(size.width) && (1...65_535).contains(size.height))
            }
        }
    }

    private static let limits = ExtremeCase("decoding limits") {
        let fields: [any WritableKeyPath<DecodingLimits, Int> & Sendable] = [
            \.encodedByteLimit, \.maxPixels, \.maxSide, \.maxFrames, \.metadataByteLimit, \.decodedByteLimit,
            \.maxScans,
        ]
        for file in try files {
            for field in fields {
                for value in ints {
                    var limits = DecodingLimits.default
                    limits[keyPath: field] = value
                    let decoder = DownsamplingDecoder.standard(limits: limits, idleByteLimit: value)
                    expectTyped { try decode(file, decoder, ImageTarget(PixelSize(width: 5, height: 5))) }
                }
            }
        }
    }

    private static let frames = ExtremeCase("frames of an animation, and their memory") {
        let decoder = DownsamplingDecoder.standard()
        let frames = [1, 2, 3].map { AnimationFrame(bitmap: bitmap($0 * 0 + 4, 4), delay: .milliseconds($0 * 100)) }
        let file = try GIFEncoder().encode(frames, loopCount: 0, options: EncodingOptions())
        for value in ints {
            expectTyped { _ = try decoder.decode(file, request: DecodingRequest(frame: value)) }
            var options = ImageLoaderOptions(cacheDirectory: nil)
            options.animationByteLimit = value
            let request = ImageRequest(.data(file, name: "animation"))
            let frames = try await ImageLoader(options).animation(for: request).frames
            try await frames.prepare(from: 2)
            #expect(frames.cachedFrame(at: 2) != nil)
            _ = frames.cachedFrame(at: value)
            do {
                try await frames.prepare(from: value)
                #expect((0..<3).contains(value))
            } catch {
                #expect(error as? ImageError == .decoding(.noSuchFrame(value, frameCount: 3)))
            }
        }
    }

    private static var processing: [ExtremeCase] {
        [
            ExtremeCase("processors with fractions") {
                for value in doubles {
                    let border = ImageBorder(color: .black, width: value)
                    let processors: [any ImageProcessor] = [
                        .blur(sigma: value), .roundedCorners(radius: value, border: border), .circle(border: border),
                        RoundedCornersProcessor(radii: CornerRadii(topLeft: value, bottomRight: 1)),
                    ]
                    for processor in processors { try process(processor) }
                }
            },
            ExtremeCase("processors with whole numbers") {
                for value in ints {
                    for other in ints {
                        let size = PixelSize(width: other, height: value)
                        try? process(.crop(PixelArea(left: value, top: other, size: size)))
                        if min(other, value) > 0 { try? process(ResizeProcessor(stretchingTo: size)) }
                    }
                }
                for target in targets { try? process(ResizeProcessor(target)) }
            },
        ]
    }

    private static let encoders = ExtremeCase("options of encoders") {
        for encoder in [any ImageEncoder].standard {
            for value in doubles where (0...1).contains(value) {
                _ = try encoder.encode(bitmap(4, 4), options: EncodingOptions(quality: value))
            }
            for (loopCount, delay) in zip(ints, durations) {
                let frames = [bitmap(4, 4), bitmap(4, 4)].map { AnimationFrame(bitmap: $0, delay: delay) }
                _ = try? encoder.encode(frames, loopCount: loopCount, options: EncodingOptions())
            }
        }
        for level in ints {
            _ = try PNGEncoder(effort: level).encode(bitmap(4, 4), options: EncodingOptions())
        }
        for value in doubles where (0...1).contains(value) {
            for encoding in [DiskEncoding.format(.jpeg, quality: value), .adaptive(quality: value)] {
                let file = try PNGEncoder().encode(bitmap(4, 4), options: EncodingOptions())
                let entry = DataCacheEntry(data: file, creationDate: Date(timeIntervalSince1970: 0))
                _ = try encoding.makeTransform()?.stored(entry, for: DataCacheKey(identifier: "a"))
            }
        }
    }

    private static let hashes = ExtremeCase("ThumbHash of every length and of thin images") {
        for count in 0..<40 {
            for byte: UInt8 in [0, 127, 255] {
                if let hash = try? ThumbHash(data: Data(repeating: byte, count: count)) {
                    #expect(hash.bitmap().size.area > 0)
                }
            }
        }
        for (width, height) in [(1, 1), (1, 500), (500, 1), (101, 3)] { _ = ThumbHash(bitmap: bitmap(width, height)) }
    }

    private static func decode(_ file: Data, _ decoder: some SizedImageDecoder, _ target: ImageTarget) throws {
        let image = try decoder.decode(file, request: DecodingRequest(target: target))
        #expect(image.bitmap.size == target.outputSize(for: image.header.size))
    }

    /// Expects a result or a `ImageDecodingError`.
    private static func expectTyped(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            #expect(error is ImageDecodingError)
        }
    }

    private static func process(_ processor: some ImageProcessor) throws {
        for (width, height) in [(1, 1), (5, 3), (1, 40)] { _ = try processor.process(bitmap(width, height)) }
        #expect(!processor.identifier.isEmpty)
    }
}
