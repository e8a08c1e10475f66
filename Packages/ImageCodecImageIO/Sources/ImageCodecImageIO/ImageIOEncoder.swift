#if canImport(ImageIO)
    import CoreGraphics
    public import Foundation
    public import ImageCore
    import ImageIO

    /// Encodes one format with the codecs of Apple platforms.
    ///
    /// **This module has never been compiled or run on an Apple platform.**
    ///
    /// Throws `.failed` for formats that the system can't write: WebP, and AVIF and HEIC on some systems. Only GIF and
    /// PNG support animations. The bytes depend on the version of the system.
    public struct ImageIOEncoder: ImageEncoder {
        /// The encoded format.
        public let format: ImageFormat

        /// `.alpha`, except for JPEG and GIF.
        public var keptFeatures: ImageFeatures { [.jpeg, .gif].contains(format) ? [] : .alpha }

        /// Creates an encoder for a format.
        public init(_ format: ImageFormat) { self.format = format }

        /// Encodes a still image. `isProgressive` applies to JPEG and PNG.
        ///
        /// - Throws: `.unsupportedSize` for an empty image, or `.failed`.
        public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
            try write(count: 1, properties: nil) { destination throws(EncodingFailure) in
                CGImageDestinationAddImage(destination, try image(of: bitmap), imageProperties(options) as CFDictionary)
            }
        }

        /// Encodes an animation, or a still image if there is one frame.
        ///
        /// - Parameters:
        ///   - frames: One or more frames of the same size.
        ///   - loopCount: The number of times the animation plays; 0 to loop forever.
        /// - Throws: `.animationUnsupported`, `.inconsistentFrames`, `.unsupportedSize` or `.failed`.
        public func encode(
            _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
        ) throws(EncodingFailure) -> Data {
            guard let first = frames.first, frames.allSatisfy({ $0.bitmap.size == first.bitmap.size }) else {
                throw .inconsistentFrames
            }
            if frames.count == 1 { return try encode(first.bitmap, options: options) }
            guard let keys = AnimationWritingKeys(format) else { throw .animationUnsupported(format) }
            return try write(count: frames.count, properties: keys.file(loopCount: loopCount)) {
                destination throws(EncodingFailure) in
                for frame in frames {
                    let properties = keys.frame(delay: frame.delay, with: imageProperties(options)[keys.dictionary])
                    CGImageDestinationAddImage(destination, try image(of: frame.bitmap), properties as CFDictionary)
                }
            }
        }

        private func write(
            count: Int, properties: [CFString: Any]?,
            adding: (CGImageDestination) throws(EncodingFailure) -> Void
        ) throws(EncodingFailure) -> Data {
            let data = NSMutableData()
            guard let type = uniformType,
                let destination = CGImageDestinationCreateWithData(data, type as CFString, count, nil)
            else { throw .failed(format, "this version of the system can't write the format") }
            if let properties { CGImageDestinationSetProperties(destination, properties as CFDictionary) }
            try adding(destination)
            guard CGImageDestinationFinalize(destination) else {
                throw .failed(format, "ImageIO could not write the file")
            }
            return data as Data
        }

        /// The uniform type identifier of the format.
        private var uniformType: String? {
            switch format {
            case .jpeg: "public.jpeg"
            case .png: "public.png"
            case .gif: "com.compuserve.gif"
            case .webp: "org.webmproject.webp"
            case .heic: "public.heic"
            case .avif: "public.avif"
            default: nil
            }
        }

        private func imageProperties(_ options: EncodingOptions) -> [CFString: Any] {
            let quality = options.quality.isNaN ? 0 : min(max(options.quality, 0), 1)
            var properties: [CFString: Any] = [kCGImageDestinationLossyCompressionQuality: quality]
            if options.isProgressive, format == .jpeg {
                properties[kCGImagePropertyJFIFDictionary] = [kCGImagePropertyJFIFIsProgressive: true]
            }
            if options.isProgressive, format == .png {
                properties[kCGImagePropertyPNGDictionary] = [kCGImagePropertyPNGInterlaceType: 1]
            }
            return properties
        }

        /// Creates an image with straight alpha in sRGB. For JPEG, Core Graphics removes the alpha.
        private func image(of bitmap: Bitmap) throws(EncodingFailure) -> CGImage {
            let size = bitmap.size
            if size.width < 1 || size.height < 1 { throw .unsupportedSize(format, size) }
            guard let image = bitmap.makeCGImage() else {
                throw .failed(format, "Core Graphics could not create an image")
            }
            return image
        }
    }

    /// ImageIO's property keys for writing animations.
    private struct AnimationWritingKeys {
        let dictionary: CFString
        private let delay: CFString
        private let loopCount: CFString
        private let countsRepetitions: Bool

        init?(_ format: ImageFormat) {
            switch format {
            case .gif:
                dictionary = kCGImagePropertyGIFDictionary
                delay = kCGImagePropertyGIFDelayTime
                loopCount = kCGImagePropertyGIFLoopCount
                countsRepetitions = true
            case .png:
                dictionary = kCGImagePropertyPNGDictionary
                delay = kCGImagePropertyAPNGDelayTime
                loopCount = kCGImagePropertyAPNGLoopCount
                countsRepetitions = false
            default: return nil
            }
        }

        /// Returns the properties of the file. Returns nil for a GIF that plays once: its loop extension only stores
        /// repetitions.
        func file(loopCount count: Int) -> [CFString: Any]? {
            if countsRepetitions, count == 1 { return nil }
            return [dictionary: [loopCount: countsRepetitions && count > 0 ? count - 1 : count]]
        }

        /// Returns the properties of a frame, with other values of the same dictionary.
        func frame(delay time: Duration, with others: Any?) -> [CFString: Any] {
            var values = others as? [CFString: Any] ?? [:]
            values[delay] = time / .seconds(1)
            return [dictionary: values]
        }
    }
#endif
