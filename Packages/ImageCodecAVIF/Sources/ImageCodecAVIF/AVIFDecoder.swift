#if AVIF
    public import ImageCore

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Decodes AVIF (AOMedia AVIF 1.1): still images, grids, layered images and animations, with 8, 10 or 12 bits,
    /// every chroma format, alpha, profile and orientation.
    ///
    /// libavif decodes whole frames to planes of luma, chroma and alpha. They are converted to RGBA in strips, or made
    /// smaller by 2, 4 or 8 first. `DecodingLimits.decodedBytes` is checked before memory for the planes is allocated.
    ///
    /// Damaged files that browsers show are accepted: those without the property `pixi`, with an invalid clean
    /// aperture, which is ignored, or without the size of the alpha image. The orientation is that of the properties
    /// `irot` and `imir`; Exif is ignored, as ISO/IEC 23008-12 demands.
    ///
    /// Animations play as in browsers: delays up to 10 ms become 100 ms, and a file without an edit list loops forever.
    public struct AVIFDecoder: ImageDecoder {
        /// Creates a decoder. It has no state.
        public init() {}

        /// `.avif`.
        public var format: ImageFormat { .avif }

        /// Returns whether the data starts with a file type box that has the brand `avif` or `avis` (AVIF 1.1,
        /// section 6). Brands after the first 128 bytes are not considered.
        public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .avif }

        /// Reads the container and the headers of its images. Decodes no pixels. A truncated file is accepted if its
        /// header is complete.
        ///
        /// - Throws: `.malformed`, `.truncated`, `.limitExceeded`, or `.unsupported`, for example for images with the
        ///   transfer function PQ or HLG, which are not tone-mapped yet.
        public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard data.count >= 12 else { throw .truncated(.avif) }
            guard recognizes(data.prefix(FileSignature.byteCount)) else {
                throw .malformed(.avif, "the file type box with the brand avif or avis is missing")
            }
            let container = try AVIFContainer(of: data, limits: limits)
            return try OpenedAVIF(container, limits: limits)
        }
    }
#endif
