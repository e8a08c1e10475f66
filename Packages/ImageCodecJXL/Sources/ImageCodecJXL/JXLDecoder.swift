#if JXL
    public import ImageCore

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Decodes JPEG XL (ISO/IEC 18181): lossy, lossless and recompressed JPEG, with any bit depth, alpha and animation, as a
    /// codestream or in a container.
    ///
    /// libjxl decodes whole images at their stored size, so a decode needs memory for the RGBA image and the working memory
    /// of libjxl. `DecodingLimits.decodedBytes` is checked before that memory is allocated. libjxl 0.7 has no memory limit of
    /// its own and ends the process if an allocation fails. The headers of all frames are therefore read in Swift first.
    ///
    /// Images that are stored in the color space XYB are delivered in sRGB. Other images are delivered in their stored color
    /// space. PQ, HLG and CMYK are not supported.
    public struct JXLDecoder: ImageDecoder {
        private let pool: PixelBufferPool?

        /// Creates a decoder.
        ///
        /// - Parameter pool: Provides the memory of images and takes it back. Use the pool of the cache that stores them.
        public init(pool: PixelBufferPool? = nil) { self.pool = pool }

        /// `.jxl`.
        public var format: ImageFormat { .jxl }

        public func using(_ pool: PixelBufferPool) -> JXLDecoder { JXLDecoder(pool: self.pool ?? pool) }

        /// Returns whether the data starts with the signature of a codestream (ISO/IEC 18181-1, annex A) or of a container
        /// (ISO/IEC 18181-2, 9.1).
        public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .jxl }

        /// Reads the headers of the image and of each frame. Decodes no pixels. A truncated file is accepted if the header of
        /// the first displayed frame is complete.
        ///
        /// - Throws: `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
        public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard recognizes(data.prefix(12)) else {
                let isShort = data.count < 12 && JXLContainer.signature.starts(with: data)
                throw isShort ? .truncated(.jxl) : .malformed(.jxl, "the signature is missing")
            }
            let codestream = try JXLContainer.codestream(of: data)
            let session = try JXLSession()
            guard let info = try session.readHeader(of: codestream, limits: limits) else { throw .truncated(.jxl) }
            var frames = JXLFrameList(after: session.position, of: info)
            try frames.read(codestream, limits: limits)
            guard frames.first != nil else { throw .truncated(.jxl) }
            return OpenedJXL(codestream, info: info, frames: frames, session: session, limits: limits, pool: pool)
        }
    }

    extension JXLDecoder: IncrementalImageDecoder {
        /// Creates an image without bytes. Previews of lossy images show the whole image in growing detail, and those of
        /// other images show rows. Animations have no previews.
        public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage {
            IncrementalJXL(limits: limits)
        }
    }
#endif
