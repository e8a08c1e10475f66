#if canImport(ImageIO)
    import CoreGraphics
    public import Foundation
    public import ImageCore
    import ImageIO

    /// Writes one format with the system's own codecs, on Apple's platforms.
    ///
    /// **Written without an Apple machine at hand: this module has never been compiled or run there.**
    ///
    /// What the system can't write (WebP; AVIF and HEIC on some) throws `.failed`. Animations are GIF and PNG alone. Which bytes
    /// come out is the business of the system's version.
    public struct ImageIOEncoder: ImageEncoder {
        public let format: ImageFormat

        public init(_ format: ImageFormat) { self.format = format }

        public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
            try write(count: 1, properties: nil) { destination throws(EncodingFailure) in
                CGImageDestinationAddImage(destination, try image(of: bitmap), imageProperties(options) as CFDictionary)
            }
        }

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
            else { throw .failed(format, "this version of the system does not write it") }
            if let properties { CGImageDestinationSetProperties(destination, properties as CFDictionary) }
            try adding(destination)
            guard CGImageDestinationFinalize(destination) else { throw .failed(format, "ImageIO refuses it") }
            return data as Data
        }

        /// Uniform type identifiers, as the system declares them.
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

        /// The bitmap as it is: straight alpha, sRGB. JPEG has no alpha, and gets what CoreGraphics makes of it.
        private func image(of bitmap: Bitmap) throws(EncodingFailure) -> CGImage {
            let size = bitmap.size
            if size.width < 1 || size.height < 1 { throw .unsupportedSize(format, size) }
            guard let image = bitmap.makeCGImage() else {
                throw .failed(format, "CoreGraphics makes no image of it")
            }
            return image
        }
    }

    /// Under which keys ImageIO takes the times of an animation.
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

        /// None for a GIF that plays once: its extension can only say how often to repeat.
        func file(loopCount count: Int) -> [CFString: Any]? {
            if countsRepetitions, count == 1 { return nil }
            return [dictionary: [loopCount: countsRepetitions && count > 0 ? count - 1 : count]]
        }

        /// With what else there is to say in the same dictionary.
        func frame(delay time: Duration, with others: Any?) -> [CFString: Any] {
            var values = others as? [CFString: Any] ?? [:]
            values[delay] = time / .seconds(1)
            return [dictionary: values]
        }
    }
#endif
