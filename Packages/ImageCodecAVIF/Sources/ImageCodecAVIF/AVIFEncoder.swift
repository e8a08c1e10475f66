#if AVIF
    import CImageCodecAVIF
    public import ImageCore

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Encodes AVIF with aom, lossy and lossless, still and animated, with alpha.
    ///
    /// Files have 8 bits per channel, the full range, and the color of sRGB: primaries 1, transfer function 13 and, if
    /// lossy, the matrix 6 of BT.601 (ITU-T H.273), as `avifenc` writes them. Below a quality of 0.9, chroma has half the
    /// resolution (4:2:0). Alpha is always lossless. A lossless file also preserves the color of transparent pixels.
    ///
    /// A quality of `q` becomes aom's quantizer `63 * (1 - q)`, rounded: the scale of `avifenc` since 1.0. A quality of 1
    /// is not lossless, because colors are converted. `isProgressive` is ignored.
    public struct AVIFEncoder: ImageEncoder {
        /// The maximum width and height of an AV1 frame.
        private static let largestSide = 65_536
        /// The maximum speed of animations. Above, aom 3.6 uses its realtime mode, which isn't lossless and can crash.
        private static let fastestAnimation = 6

        private let speed: Int
        private let orientation: ImageOrientation
        private let colorProfile: Data?

        /// Creates an encoder.
        ///
        /// - Parameters:
        ///   - speed: From 0 (smallest files) to 10 (fastest). In animations, larger ones count as 6.
        ///   - orientation: Declares how the pixels are to be turned. They are stored as they are.
        ///   - colorProfile: The ICC profile of the pixels; nil for sRGB.
        public init(speed: Int = 6, orientation: ImageOrientation = .up, colorProfile: Data? = nil) {
            self.speed = min(max(speed, 0), 10)
            self.orientation = orientation
            self.colorProfile = colorProfile
        }

        /// `.avif`.
        public var format: ImageFormat { .avif }

        /// True.
        public var keepsAlpha: Bool { true }

        /// Encodes a still image.
        ///
        /// - Throws: `.unsupportedSize` if a side is not from 1 to 65,536 pixels.
        public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
            let writer = try writer(of: bitmap.size, hasAlpha: !bitmap.isOpaque, speed: speed, options: options)
            try writer.add(bitmap, duration: 0)
            return try writer.finish()
        }

        /// Encodes an animation. Delays are rounded to milliseconds, at least 1 and at most 2^31.
        ///
        /// Every frame is a sample of its own, even if it equals the previous one.
        ///
        /// - Parameters:
        ///   - frames: One or more frames of the same size.
        ///   - loopCount: The number of times the animation plays; 0 to loop forever.
        /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, or `.unsupportedSize`.
        public func encode(
            _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
        ) throws(EncodingFailure) -> Data {
            guard let first = frames.first, frames.allSatisfy({ $0.bitmap.size == first.bitmap.size }) else {
                throw .inconsistentFrames
            }
            if frames.count == 1 { return try encode(first.bitmap, options: options) }
            let hasAlpha = frames.contains { !$0.bitmap.isOpaque }
            let writer = try writer(
                of: first.bitmap.size, hasAlpha: hasAlpha, speed: min(speed, Self.fastestAnimation), options: options)
            for frame in frames { try writer.add(frame.bitmap, duration: frame.delay.wholeMilliseconds) }
            let file = try writer.finish()
            return loopCount > 0 ? try RepeatedAnimation.file(file, loopCount: loopCount) : file
        }

        private func writer(
            of size: PixelSize, hasAlpha: Bool, speed: Int, options: EncodingOptions
        ) throws(EncodingFailure) -> AVIFWriter {
            let range = 1...Self.largestSide
            guard range.contains(size.width), range.contains(size.height) else { throw .unsupportedSize(.avif, size) }
            let transform = orientation.transform
            let quality = options.clampedQuality
            let settings = avif_settings(
                speed: CInt(speed), quantizer: CInt((63 * (1 - quality)).rounded()),
                is_lossless: options.isLossless ? 1 : 0, halves_chroma: quality < 0.9 ? 1 : 0,
                has_alpha: hasAlpha ? 1 : 0, rotation: CInt(transform.rotation), mirror: CInt(transform.mirror))
            return try AVIFWriter(size: size, settings: settings, profile: colorProfile ?? Data())
        }
    }

    extension EncodingOptions {
        /// The quality from 0 to 1; the default if it is not a number.
        fileprivate var clampedQuality: Double {
            quality.isNaN ? EncodingOptions().quality : min(max(quality, 0), 1)
        }
    }

    extension Duration {
        /// The duration in milliseconds, rounded, from 1 to 2^31 - 1.
        fileprivate var wholeMilliseconds: Int {
            let (seconds, attoseconds) = limited.components
            guard seconds >= 0, attoseconds >= 0 else { return 1 }
            guard seconds < 2_147_483 else { return Int(Int32.max) }
            let milliseconds = (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
            return max(1, Int(seconds) * 1000 + Int(milliseconds))
        }
    }
#endif
