#if canImport(ImageIO)
    import CoreGraphics
    public import Foundation
    public import ImageCore
    import ImageIO

    /// Encodes one format with the codecs of Apple platforms.
    ///
    /// **This module has never been compiled or run on an Apple platform.**
    ///
    /// Throws `.failed` for formats that the system can't write: WebP, and AVIF and HEIC on some systems. Only GIF, PNG and
    /// HEICS support animations. Files have the profile of the image's color space; GIF is converted to sRGB. The bytes
    /// depend on the version of the system.
    public struct ImageIOEncoder: ImageEncoder {
        /// The encoded format.
        public let format: ImageFormat

        /// True, except for JPEG, GIF and BMP.
        public var keepsAlpha: Bool { ![.jpeg, .gif, .bmp].contains(format) }

        /// Creates an encoder for a format, which is named as for `ImageIODecoder`.
        public init(_ format: ImageFormat) { self.format = format }

        /// The encoders of the formats that this version of the system writes.
        public static var available: [ImageIOEncoder] {
            SystemType.formats(in: CGImageDestinationCopyTypeIdentifiers()).map(ImageIOEncoder.init)
        }

        /// Encodes a still image. `isProgressive` applies to JPEG and PNG.
        ///
        /// - Throws: `.unsupportedSize` for an empty image, or `.failed`.
        public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
            let bitmap = format == .gif ? bitmap.converted(to: .sRGB) : bitmap
            return try write(count: 1, properties: nil) { destination throws(ImageEncodingError) in
                CGImageDestinationAddImage(destination, try image(of: bitmap), imageProperties(options) as CFDictionary)
            }
        }

        /// Encodes an animation, or a still image if there is one frame.
        ///
        /// - Throws: `.animationUnsupported`, `.inconsistentFrames`, `.unsupportedSize` or `.failed`.
        public func encode(
            _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
        ) throws(ImageEncodingError) -> Data {
            _ = try commonSize(of: frames)
            if frames.count == 1 { return try encode(frames[0].bitmap, options: options) }
            guard let keys = AnimationKeys(format), let delay = keys.writtenDelay else {
                throw .animationUnsupported(format)
            }
            let frames = format == .gif ? frames.converted(to: .sRGB) : frames.inOneColorSpace.frames
            // A GIF stores the repetitions after the first play, and none if it plays once.
            let loops = format == .gif ? max(0, loopCount - 1) : loopCount
            let properties = [keys.dictionary: [keys.loopCount: loops]]
            return try write(count: frames.count, properties: format == .gif && loopCount == 1 ? nil : properties) {
                destination throws(ImageEncodingError) in
                for frame in frames {
                    var values = imageProperties(options)[keys.dictionary] as? [CFString: Any] ?? [:]
                    values[delay] = frame.delay / .seconds(1)
                    CGImageDestinationAddImage(
                        destination, try image(of: frame.bitmap), [keys.dictionary: values] as CFDictionary)
                }
            }
        }

        private func write(
            count: Int, properties: [CFString: Any]?,
            adding: (CGImageDestination) throws(ImageEncodingError) -> Void
        ) throws(ImageEncodingError) -> Data {
            let data = NSMutableData()
            guard let type = SystemType.identifier(of: format, in: CGImageDestinationCopyTypeIdentifiers()),
                let destination = CGImageDestinationCreateWithData(data, type as CFString, count, nil)
            else { throw .failed(format, "this version of the system can't write the format") }
            if let properties { CGImageDestinationSetProperties(destination, properties as CFDictionary) }
            try adding(destination)
            guard CGImageDestinationFinalize(destination) else {
                throw .failed(format, "ImageIO could not write the file")
            }
            return data as Data
        }

        private func imageProperties(_ options: EncodingOptions) -> [CFString: Any] {
            let quality = options.quality
            var properties: [CFString: Any] = [kCGImageDestinationLossyCompressionQuality: quality]
            if options.isProgressive, format == .jpeg {
                properties[kCGImagePropertyJFIFDictionary] = [kCGImagePropertyJFIFIsProgressive: true]
            }
            if options.isProgressive, format == .png {
                properties[kCGImagePropertyPNGDictionary] = [kCGImagePropertyPNGInterlaceType: 1]
            }
            return properties
        }

        /// Creates an image with straight alpha. For JPEG, Core Graphics removes the alpha.
        private func image(of bitmap: Bitmap) throws(ImageEncodingError) -> CGImage {
            let size = bitmap.size
            if size.width < 1 || size.height < 1 { throw .unsupportedSize(format, size) }
            guard let image = bitmap.standardCGImage else {
                throw .failed(format, "Core Graphics could not create an image")
            }
            return image
        }
    }
#endif
