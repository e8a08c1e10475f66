#if JXL
    public import ImageCore

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Encodes JPEG XL, lossy and lossless, still and animated, with alpha.
    ///
    /// Lossless encoding preserves every byte, including the color of transparent pixels. In lossy files, libjxl 0.7 encodes
    /// alpha with loss, too. `isProgressive` stores lossy images in two passes, and lossless ones in several resolutions.
    public struct JXLEncoder: ImageEncoder {
        /// The time that is spent to make the file smaller, from 1 to 9.
        public var effort: Int { didSet { effort = min(max(effort, 1), 9) } }
        /// The orientation that the file declares. The pixels are stored as they are.
        public var orientation: ImageOrientation
        /// The ICC profile of the pixels. Nil for sRGB.
        public var colorProfile: Data?

        /// The maximum width and height, and the maximum area, of profile 5 (ISO/IEC 18181-1, annex M).
        private static let largestSide = 1 << 18
        private static let largestArea = 1 << 28

        /// Creates an encoder.
        ///
        /// - Parameters:
        ///   - effort: The time that is spent to make the file smaller, clamped to 1...9. 3 is fast, 9 is slow.
        ///   - orientation: The orientation that the file declares. The pixels are stored as they are.
        ///   - colorProfile: The ICC profile of the pixels. Nil for sRGB. Lossless files store it, and lossy files are
        ///     decoded to sRGB.
        public init(effort: Int = 7, orientation: ImageOrientation = .up, colorProfile: Data? = nil) {
            self.effort = min(max(effort, 1), 9)
            self.orientation = orientation
            self.colorProfile = colorProfile
        }

        /// `.jxl`.
        public var format: ImageFormat { .jxl }

        /// True.
        public var keepsAlpha: Bool { true }

        /// Encodes a still image.
        ///
        /// The distance of Butteraugli is 0.1 + (1 - quality) * 9 from quality 0.3, and up to 25 below, as in libjxl.
        ///
        /// - Throws: `.unsupportedSize` if a side is not from 1 to 262,144 pixels or the area exceeds 2^28, or `.failed`.
        public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
            try check(bitmap.size)
            let writer = try JXLWriter(self, size: bitmap.size, hasAlpha: !bitmap.isOpaque, options: options)
            try writer.add(bitmap, milliseconds: 0, isLast: true)
            return writer.data
        }

        /// Encodes an animation. Delays are rounded to milliseconds and clamped to 1 to 4,294,967,295 ms.
        ///
        /// Every frame is stored as a whole.
        ///
        /// - Parameters:
        ///   - frames: One or more frames of the same size.
        ///   - loopCount: The number of times the animation plays, up to 4,294,967,295; 0 to loop forever.
        /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, `.unsupportedSize`, or `.failed`.
        public func encode(
            _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
        ) throws(EncodingFailure) -> Data {
            guard let size = frames.first?.bitmap.size, frames.allSatisfy({ $0.bitmap.size == size }) else {
                throw .inconsistentFrames
            }
            try check(size)
            let hasAlpha = !frames.allSatisfy(\.bitmap.isOpaque)
            let writer = try JXLWriter(
                self, size: size, hasAlpha: hasAlpha, loopCount: frames.count > 1 ? loopCount : nil, options: options)
            for (index, frame) in frames.enumerated() {
                let isLast = index == frames.count - 1
                try writer.add(frame.bitmap, milliseconds: frame.delay.wholeMilliseconds, isLast: isLast)
            }
            return writer.data
        }

        private func check(_ size: PixelSize) throws(EncodingFailure) {
            let range = 1...Self.largestSide
            guard range.contains(size.width), range.contains(size.height), size.area <= Self.largestArea else {
                throw .unsupportedSize(.jxl, size)
            }
        }
    }

    extension Duration {
        /// The duration in milliseconds, rounded, and at least 1: a frame without duration is part of the next one.
        fileprivate var wholeMilliseconds: UInt32 {
            let (seconds, attoseconds) = limited.components
            guard seconds >= 0, attoseconds >= 0 else { return 1 }
            guard seconds < 4_294_967 else { return .max }
            return UInt32(max(1, seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000))
        }
    }
#endif
