public import ImageCore
import ImageTesting

/// The contract of `ImageEncoder`.
public enum ImageEncoderContract {
    /// An encoder, a decoder for its files, and the features of its format.
    public struct Subject: Sendable {
        /// The encoder under test.
        public var encoder: any ImageEncoder
        /// A decoder for the format of the encoder.
        public var decoder: any ImageDecoder
        /// Whether `EncodingOptions.isLossless` preserves every pixel of images with at most 16 colors.
        public var isLossless: Bool
        /// Whether the format has an alpha channel.
        public var supportsAlpha: Bool
        /// Whether the encoder writes animations.
        public var supportsAnimation: Bool
        /// The longest side that the format can represent, or nil to skip the rule about it.
        public var largestSide: Int?

        /// Creates a subject from an encoder, a decoder for its files, and the features of its format.
        public init(
            _ encoder: any ImageEncoder, decoder: any ImageDecoder, isLossless: Bool, supportsAlpha: Bool,
            supportsAnimation: Bool, largestSide: Int? = nil
        ) {
            self.encoder = encoder
            self.decoder = decoder
            self.isLossless = isLossless
            self.supportsAlpha = supportsAlpha
            self.supportsAnimation = supportsAnimation
            self.largestSide = largestSide
        }
    }

    /// All rules.
    public static let rules: [ContractRule<Subject>] = stillRules + animationRules + [colorRule]

    private static let stillRules: [ContractRule<Subject>] = [
        ContractRule("an encoded file is recognized by its decoder and has the size of the image") { subject in
            for size in [
                PixelSize(width: 1, height: 1), PixelSize(width: 37, height: 19), PixelSize(width: 3, height: 64),
            ] {
                let data = try subject.encoder.encode(.tiles(size), options: EncodingOptions())
                try expect(subject.decoder.recognizes(Data(data.prefix(32))), "\(size): not recognized")
                let header = try subject.decoder.open(data, limits: .default).header
                try expect(header.storedSize == size, "\(size): the stored size is \(header.storedSize)")
                try expect(header.format == subject.encoder.format, "\(size): format \(header.format)")
                try expect(header.frameCount == 1, "\(size): \(header.frameCount) frames")
                try expect(header.orientation == .up, "\(size): the orientation is \(header.orientation)")
            }
        },
        ContractRule("the encoder writes the same bytes for the same image") { subject in
            let source = Bitmap.tiles(PixelSize(width: 37, height: 19))
            let files = try (0..<3).map { _ in try subject.encoder.encode(source, options: EncodingOptions()) }
            try expect(Set(files).count == 1, "different bytes each time")
        },
        ContractRule("the decoded file equals the image if lossless, and is close to it otherwise") { subject in
            let source = Bitmap.tiles(PixelSize(width: 64, height: 48))
            let exact = try subject.roundTrip(source, options: EncodingOptions(quality: 1, isLossless: true))
            let error = source.meanError(to: exact)
            try expect(error <= (subject.isLossless ? 0 : 6), "off by \(error) levels on average")
            let defaultError = source.meanError(to: try subject.roundTrip(source, options: EncodingOptions()))
            try expect(defaultError <= 16, "off by \(defaultError) levels on average at the default quality")
        },
        ContractRule("the encoder keeps alpha if the format supports it, and drops it otherwise") { subject in
            let source = Bitmap.tiles(PixelSize(width: 32, height: 32), transparent: true)
            let data = try subject.encoder.encode(source, options: EncodingOptions(isLossless: true))
            let image = try subject.decoder.open(data, limits: .default)
            try expect(image.header.hasAlpha == subject.supportsAlpha, "hasAlpha is \(image.header.hasAlpha)")
            let alphas = try ImageDecoderContract.pixels(of: image, frame: 0).alphas
            let expected = subject.supportsAlpha ? source.pixels.alphas : source.pixels.alphas.map { _ in 255 }
            try expect(alphas == expected, "the alpha values are different")
        },
        ContractRule("the encoder keeps partly transparent pixels if it says so") { subject in
            guard subject.encoder.keepsAlpha else { return }
            let source = Bitmap.fading(PixelSize(width: 64, height: 16))
            let kept = try subject.roundTrip(source, options: EncodingOptions(quality: 1, isLossless: true)).alphas
            let error = zip(source.pixels.alphas, kept).map { abs(Int($0) - Int($1)) }.max() ?? 255
            try expect(error <= (subject.isLossless ? 0 : 16), "partly transparent pixels are off by \(error) levels")
        },
        ContractRule("the alpha of an image that is marked as opaque is ignored") { subject in
            let source = Bitmap.tiles(PixelSize(width: 24, height: 16))
            let pixels = source.pixels.enumerated().map { $0.offset % 4 == 3 ? 100 : $0.element }
            let marked = Bitmap(size: source.size, pixels: pixels, isOpaque: true)
            let options = EncodingOptions(quality: 1, isLossless: true)
            let result = try subject.roundTrip(marked, options: options)
            try expect(try result == subject.roundTrip(source, options: options), "it changes the file")
            guard subject.supportsAnimation else { return }
            let frame = try subject.frame(marked, options: options)
            try expect(try frame == subject.frame(source, options: options), "it changes a frame")
        },
        ContractRule("the encoder accepts any quality") { subject in
            for quality in [0, 0.01, 0.5, 1] {
                for isProgressive in [false, true] {
                    let options = EncodingOptions(quality: quality, isProgressive: isProgressive)
                    let source = Bitmap.tiles(PixelSize(width: 24, height: 24))
                    let result = try subject.roundTrip(source, options: options)
                    try expect(result.count == source.pixels.count, "quality \(quality): the image is incomplete")
                }
            }
        },
        ContractRule("encoding a size that the format can't represent fails") { subject in
            guard let largest = subject.largestSide else { return }
            for size in [PixelSize(width: largest + 1, height: 1), PixelSize(width: 1, height: largest + 1)] {
                let failure = subject.failure { () throws(ImageEncodingError) in
                    try subject.encoder.encode(.tiles(size), options: EncodingOptions())
                }
                try expect(
                    failure == .unsupportedSize(subject.encoder.format, size), "\(size): \(String(describing: failure))"
                )
            }
        },
    ]

    private static let animationRules: [ContractRule<Subject>] = [
        ContractRule("an animation is encoded with frames, delays and loop count, or fails as unsupported") { subject in
            for (loopCount, width, height) in [(0, 24, 16), (1, 1, 1), (7, 17, 9)] {
                try subject.expectAnimation(of: PixelSize(width: width, height: height), loopCount: loopCount)
            }
        },
        ContractRule("encoding an animation without frames or with frames of several sizes fails") { subject in
            let delay = Duration.milliseconds(100)
            let uneven = [PixelSize(width: 4, height: 4), PixelSize(width: 4, height: 5)].map {
                AnimationFrame(bitmap: .tiles($0), delay: delay)
            }
            for frames in [[], uneven] {
                let failure = subject.failure { () throws(ImageEncodingError) in
                    try subject.encoder.encode(frames, loopCount: 0, options: EncodingOptions())
                }
                let isExpected =
                    failure == .inconsistentFrames
                    || (!subject.supportsAnimation && failure == .animationUnsupported(subject.encoder.format))
                try expect(isExpected, "\(frames.count) frames: \(String(describing: failure))")
            }
        },
    ]
}

extension ImageEncoderContract.Subject {
    fileprivate func roundTrip(_ source: Bitmap, options: EncodingOptions) throws -> [UInt8] {
        let data = try encoder.encode(source, options: options)
        return try ImageDecoderContract.pixels(of: try decoder.open(data, limits: .default), frame: 0)
    }

    /// Returns the pixels of a frame that follows a transparent one.
    fileprivate func frame(_ bitmap: Bitmap, options: EncodingOptions) throws -> [UInt8] {
        let frames = [.tiles(bitmap.size, transparent: true), bitmap].map {
            AnimationFrame(bitmap: $0, delay: .milliseconds(100))
        }
        let data = try encoder.encode(frames, loopCount: 0, options: options)
        return try ImageDecoderContract.pixels(of: try decoder.open(data, limits: .default), frame: 1)
    }

    fileprivate func failure(_ body: () throws(ImageEncodingError) -> Data) -> ImageEncodingError? {
        thrownError { () throws(ImageEncodingError) in _ = try body() }
    }

    fileprivate func expectAnimation(of size: PixelSize, loopCount: Int) throws {
        let delays = [70, 65_000, 50].map { Duration.milliseconds($0) }
        let frames = delays.enumerated().map {
            AnimationFrame(bitmap: .tiles(size, shift: $0.offset), delay: $0.element)
        }
        let options = EncodingOptions(quality: 1, isLossless: true)
        guard supportsAnimation else {
            let failure = failure { () throws(ImageEncodingError) in
                try encoder.encode(frames, loopCount: loopCount, options: options)
            }
            try expect(failure == .animationUnsupported(encoder.format), "\(String(describing: failure))")
            return
        }
        let image = try decoder.open(
            try encoder.encode(frames, loopCount: loopCount, options: options), limits: .default)
        try expect(image.header.frameCount == 3, "\(image.header.frameCount) frames of 3")
        try expect(image.header.frameDelays == delays, "delays \(image.header.frameDelays)")
        try expect(image.header.loopCount == loopCount, "loop count \(image.header.loopCount), not \(loopCount)")
        for (index, frame) in frames.enumerated() {
            let error = frame.bitmap.meanError(to: try ImageDecoderContract.pixels(of: image, frame: index))
            try expect(error <= (isLossless ? 0 : 6), "frame \(index) is off by \(error) levels on average")
        }
    }
}

extension Bitmap {
    /// Returns tiles of 8 by 8 pixels in at most 16 colors. With `transparent`, every third tile is transparent.
    static func tiles(
        _ size: PixelSize, shift: Int = 0, transparent: Bool = false, in space: ColorSpace = .sRGB
    ) -> Bitmap {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.area * 4)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let tile = (x / 8 + 3 * (y / 8) + shift) % 15
                let isClear = transparent && tile % 3 == 0
                pixels +=
                    isClear ? [0, 0, 0, 0] : [UInt8(tile * 17), UInt8(255 - tile * 9), UInt8(tile * 5 + 60), 255]
            }
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: !transparent, colorSpace: space)
    }

    /// Returns a gray image whose alpha grows from the left to the right.
    fileprivate static func fading(_ size: PixelSize) -> Bitmap {
        let row: [UInt8] = (0..<size.width).flatMap { x -> [UInt8] in
            [100, 100, 100, UInt8(x * 255 / (size.width - 1))]
        }
        let rows = [[UInt8]](repeating: row, count: size.height)
        return Bitmap(size: size, pixels: Array(rows.joined()), isOpaque: false)
    }

    /// Returns the mean difference of the bytes, in levels, or 255 if the counts differ.
    func meanError(to other: [UInt8]) -> Double {
        guard pixels.count == other.count else { return 255 }
        let sum = zip(pixels, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(pixels.count)
    }
}

extension [UInt8] {
    fileprivate var alphas: [UInt8] { stride(from: 3, to: count, by: 4).map { self[$0] } }
}
