#if canImport(ImageIO)
    import CoreGraphics
    public import Foundation
    public import ImageCore
    import ImageIO

    /// Decodes one format with the codecs of Apple platforms.
    ///
    /// **This module has never been compiled or run on an Apple platform.** Run `ImageDecoderContract` and
    /// `HostileInputCheck` before you rely on it.
    ///
    /// Smaller sizes are decoded with ImageIO's thumbnails, made from the image itself. The orientation is reported and
    /// not applied. The system converts colors to the color space that is asked for, and HDR to standard dynamic range. So
    /// headers have no profile: their color is Display P3 for images with a wide gamut, and sRGB for others.
    public struct ImageIODecoder: IncrementalImageDecoder {
        /// The decoded format.
        public let format: ImageFormat

        /// Creates a decoder.
        ///
        /// - Parameter format: A constant of `ImageFormat`, or the last part of a type identifier of the system, for
        ///   example `ImageFormat(rawValue: "jpeg-2000")` for public.jpeg-2000. With others, no file is recognized.
        public init(_ format: ImageFormat) { self.format = format }

        /// The decoders of the formats that this version of the system reads.
        public static var available: [ImageIODecoder] {
            SystemType.formats(in: CGImageSourceCopyTypeIdentifiers()).map(ImageIODecoder.init)
        }

        /// Returns whether the data starts with the signature of `format`. ImageIO tells other formats than those of this
        /// package's other codecs: raw files of cameras have the signature of TIFF.
        public func recognizes(_ prefix: Data) -> Bool {
            let signature = FileSignature.format(of: prefix)
            if signature.map(SystemType.isKnown) == true || SystemType.isKnown(format) { return signature == format }
            return SystemType.format(ofPrefix: prefix) == format
        }

        /// Reads the header.
        ///
        /// - Throws: `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
        public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard recognizes(data.prefix(FileSignature.byteCount)) else {
                throw .malformed(format, "the signature is missing")
            }
            // ImageIO caches no decoded pixels.
            let options = [kCGImageSourceShouldCache: false] as CFDictionary
            guard let source = CGImageSourceCreateWithData(Data(data) as CFData, options) else {
                throw .malformed(format, "ImageIO rejected the data")
            }
            return try OpenedImageIO(SourceReader(source, format: format), limits: limits)
        }

        /// Creates an image without bytes. Each of its previews decodes all bytes so far, and there is at most one for each
        /// quarter more bytes. Rows that ImageIO doesn't have yet are as it leaves them.
        public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage {
            IncrementalImageIO(format, limits: limits)
        }
    }
#endif
