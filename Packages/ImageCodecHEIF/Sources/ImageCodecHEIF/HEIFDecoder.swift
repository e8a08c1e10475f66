#if HEIF
    public import ImageCore

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Decodes the primary image of HEIF files with HEVC (ISO/IEC 23008-12), which cameras write as HEIC.
    ///
    /// The file's boxes are read in Swift. libde265 decodes the images, one tile of a grid at a time. libheif is not used, because it
    /// converts whole images to RGB. Memory is needed for the samples of a row of tiles, or of the whole image if it is no grid.
    ///
    /// The orientation is that of the `irot` and `imir` properties. As the specification demands, the Exif orientation is ignored.
    ///
    /// With `DecodingPreference.speed`, a thumbnail in the file is decoded if it is large enough.
    public struct HEIFDecoder: ImageDecoder {
        /// Creates a decoder. It has no state.
        public init() {}

        /// `.heic`.
        public var format: ImageFormat { .heic }

        /// Returns whether the data starts with an `ftyp` box with a brand of HEIF or HEVC, and none of AVIF.
        public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .heic }

        /// Reads the boxes of the file. Decodes no pixels. A truncated file is accepted if its `meta` box is complete.
        ///
        /// - Throws: `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
        public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard recognizes(data.prefix(FileSignature.byteCount)) else {
                throw data.count < 32 ? .truncated(.heic) : .malformed(.heic, "the file type is not that of HEIF")
            }
            return try OpenedHEIF(data, limits: limits)
        }
    }
#endif
