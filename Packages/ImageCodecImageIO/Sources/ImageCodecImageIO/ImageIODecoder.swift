#if canImport(ImageIO)
    import CoreGraphics
    public import Foundation
    public import ImageCore
    import ImageIO

    /// Decodes one format with the system's own codecs, on Apple's platforms.
    ///
    /// **Written without an Apple machine at hand: this module has never been compiled or run there.**
    /// Run `ImageDecoderContract` and `HostileInputCheck` on it before relying on it.
    ///
    /// Sizes below the stored one come from ImageIO's thumbnails, made from the image itself. The orientation is read and left
    /// to the caller. Colours are converted to sRGB by the system, so that headers carry no profile.
    public struct ImageIODecoder: ImageDecoder {
        public let format: ImageFormat

        /// - Parameter format: `.heic`, `.avif`, `.jpeg`, `.png`, `.webp` or `.gif`; another one recognises nothing.
        public init(_ format: ImageFormat) { self.format = format }

        /// Decoders of the formats for which there is no other module.
        public static var formatsOfItsOwn: [ImageIODecoder] { [ImageIODecoder(.heic), ImageIODecoder(.avif)] }

        /// True for the signature of `format`.
        public func recognises(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == format }

        public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard recognises(data.prefix(32)) else { throw .malformed(format, "no signature of this format") }
            // Nothing decoded is kept by ImageIO beside what is asked for.
            let options = [kCGImageSourceShouldCache: false] as CFDictionary
            guard let source = CGImageSourceCreateWithData(Data(data) as CFData, options) else {
                throw .malformed(format, "ImageIO does not take it")
            }
            return try OpenedImageIO(SourceReader(source, format: format), limits: limits)
        }
    }
#endif
