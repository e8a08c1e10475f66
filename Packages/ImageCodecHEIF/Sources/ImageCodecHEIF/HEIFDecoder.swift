#if HEIF
    public import ImageCore

    /// Decodes the primary image or the image sequence of HEIF files with HEVC (ISO/IEC 23008-12), which cameras write as HEIC.
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

        public var format: ImageFormat { .heic }

        /// Returns whether the data starts with an `ftyp` box with a brand of HEIF or HEVC, and none of AVIF.
        public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .heic }

        /// Reads the boxes of the file. Decodes no pixels. A truncated file is accepted if its `meta` box is complete.
        public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard recognizes(data.prefix(FileSignature.byteCount)) else {
                throw data.count < 32 ? .truncated(.heic) : .malformed(.heic, "the file type is not that of HEIF")
            }
            if let tracks = try HEIFTracks(of: data, limits: limits) {
                return try OpenedHEIFSequence(tracks, limits: limits)
            }
            return try OpenedHEIF(data, limits: limits)
        }
    }

    /// A HEIF file whose boxes have been read.
    final class OpenedHEIF: OpenedImage {
        let header: ImageHeader
        private let container: HEIFContainer
        private let structure: HEIFStructure
        private let limits: DecodingLimits

        init(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
            container = try HEIFContainer(of: data)
            structure = try HEIFStructure(of: container, limits: limits)
            header = try structure.header(of: container, limits: limits)
            self.limits = limits
        }

        /// Returns the stored size.
        func decodableSize(covering target: PixelSize) -> PixelSize { stored }

        /// Returns the size of the thumbnail in the file for speed, if it covers the target.
        func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize {
            if preference == .speed, let thumbnail = structure.thumbnail?.size, thumbnail.covers(target),
                thumbnail.area < stored.area
            {
                return thumbnail
            }
            return decodableSize(covering: target)
        }

        /// Returns the size of the samples that are held while rows are delivered, in bytes.
        func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
            structure.image.heldByteCount + (structure.alpha?.heldByteCount ?? 0)
        }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            guard index == 0 else { throw .noSuchFrame(index, frameCount: 1) }
            guard layout == .rgba8 || layout == header.nativeLayout else {
                throw .unsupported(.heic, "the image can only be decoded as RGBA")
            }
            if preference == .speed, let thumbnail = structure.thumbnail, size == thumbnail.size, size != stored {
                return try decode(thumbnail.image, thumbnail.area, layout, into: sink)
            }
            guard size == stored else { throw .unsupported(.heic, "the image can't be decoded at \(size)") }
            try decode(structure.image, structure.area, layout, into: sink)
        }

        private var stored: PixelSize { header.storedSize }

        private func decode(
            _ image: HEIFImage, _ area: PixelArea, _ layout: PixelLayout, into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            let alpha = structure.alpha
            let working = image.heldByteCount + image.workingBytes(in: container) + (alpha?.heldByteCount ?? 0)
            try limits.check(.decodedBytes, working)
            try limits.check(.decodedBytes, image.heldByteCount + (alpha?.workingBytes(in: container) ?? 0))
            let strips = StripDecoder(
                color: PlaneSource(image, in: container), alpha: alpha.map { PlaneSource($0, in: container) },
                coding: structure.color, hasProfile: header.colorProfile != nil, sequence: image.sequence,
                isPremultiplied: structure.isPremultiplied, area: area, layout: layout)
            try strips.decode(into: sink)
        }
    }

    extension PixelSize {
        fileprivate func covers(_ other: PixelSize) -> Bool { width >= other.width && height >= other.height }
    }
#else
    public import ImageCore

    /// Without the trait, there is only the name, so that the compiler says what is missing.
    @available(
        *, unavailable,
        message: "enable the trait HEIF of swift-image-loading, and install libheif-dev and libde265-dev (Debian)"
    )
    // It never runs: the compiler refuses each call.
    public func HEIFDecoder() -> any ImageDecoder { fatalError() }
#endif
