#if HEIF
    public import ImageCore

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

        public var format: ImageFormat { .heic }

        /// Returns whether the data starts with an `ftyp` box with a brand of HEIF or HEVC, and none of AVIF.
        public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .heic }

        /// Reads the boxes of the file. Decodes no pixels. A truncated file is accepted if its `meta` box is complete.
        public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard recognizes(data.prefix(FileSignature.byteCount)) else {
                throw data.count < 32 ? .truncated(.heic) : .malformed(.heic, "the file type is not that of HEIF")
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

        /// The memory in bytes for rows that are converted at once.
        private static let stripBytes = 256 << 10

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
                area: area, layout: layout)
            try strips.decode(into: sink, stripBytes: Self.stripBytes) { coded throws(ImageDecodingError) in
                // The header can't know what only the HEVC data says.
                if structure.color == nil, header.colorProfile == nil, try coded.source().isHDR {
                    throw .unsupported(.heic, "HDR without a color property")
                }
                return try HEIFConverter(
                    area, color: structure.color ?? coded, sequence: image.sequence, layout: layout,
                    isPremultiplied: structure.isPremultiplied)
            }
        }
    }

    /// Decodes, converts and delivers an image in strips of rows.
    private struct StripDecoder {
        let color: PlaneSource
        let alpha: PlaneSource?
        let area: PixelArea
        let layout: PixelLayout

        /// - Parameter converter: Returns the conversion for a color in the HEVC data.
        func decode(
            into sink: any PixelRowSink, stripBytes: Int,
            converter: (CodingColor) throws(ImageDecodingError) -> HEIFConverter
        ) throws(ImageDecodingError) {
            let stride = layout.bytesPerPixel * area.width
            let stripRows = min(area.height, max(1, stripBytes / stride))
            var strip = [UInt8](repeating: 0, count: stripRows * stride)
            var row = 0
            while row < area.height {
                try sink.checkCancellation()
                try decodeRows(for: row, into: sink)
                let end = min(row + stripRows, availableRows)
                guard let planes = color.planes else { return }
                try converter(color.coded).convert(row..<end, of: planes, alpha: alpha?.planes, into: &strip)
                for y in 0..<end - row {
                    try sink.receive(strip.span.extracting(y * stride..<(y + 1) * stride))
                }
                row = end
                color.removeRows(above: area.top + row)
                alpha?.removeRows(above: area.top + row)
            }
        }

        /// Decodes until a row of the area can be converted.
        private func decodeRows(for row: Int, into sink: any PixelRowSink) throws(ImageDecodingError) {
            for source in [color, alpha].compactMap({ $0 }) {
                while availableRows(in: source) <= row {
                    try source.decodeRows { () throws(ImageDecodingError) in try sink.checkCancellation() }
                }
            }
        }

        private var availableRows: Int {
            min(availableRows(in: color), alpha.map { availableRows(in: $0) } ?? area.height)
        }

        /// Returns the number of rows of the area that are decoded, with one more for subsampled chroma.
        private func availableRows(in source: PlaneSource) -> Int {
            source.isComplete ? area.height : min(area.height, max(0, source.rowCount - 1 - area.top))
        }
    }

    /// Decodes an image from top to bottom: at once, or one row of tiles after the other.
    private final class PlaneSource {
        private let image: HEIFImage
        private let container: HEIFContainer
        /// The rows that are decoded and still needed; nil before the first call of `decodeRows`.
        private(set) var planes: HEIFPlanes?
        /// The color in the HEVC data of the decoded rows.
        private(set) var coded = CodingColor()
        /// The number of decoded rows from the top of the image.
        private(set) var rowCount = 0
        private var tileRow = 0

        /// The memory in rows for what remains of a row of tiles when the next one is decoded: the rows of an output row, and their
        /// neighbors.
        private static let overlap = 16

        init(_ image: HEIFImage, in container: HEIFContainer) {
            self.image = image
            self.container = container
        }

        /// Whether all rows are decoded.
        var isComplete: Bool { rowCount == image.size.height }

        /// Decodes more rows.
        ///
        /// - Parameter checkpoint: Called before each tile.
        func decodeRows(checkpoint: () throws(ImageDecodingError) -> Void) throws(ImageDecodingError) {
            for column in 0..<image.columns {
                try checkpoint()
                let tile = try image.decodeTile(tileRow * image.columns + column, in: container)
                coded = tile.color
                if image.isWhole {
                    planes = tile
                } else {
                    try band(for: tile).paste(tile, at: column * image.tileSize.width)
                }
            }
            let added = min(image.tileSize.height, image.size.height - rowCount)
            if !image.isWhole { planes?.addRows(added) }
            rowCount += added
            tileRow += 1
        }

        /// Releases the rows above a row, except one, to make room for the next row of tiles.
        func removeRows(above row: Int) {
            if !isComplete { planes?.removeRows(above: row - 1) }
        }

        private func band(for tile: HEIFPlanes) throws(ImageDecodingError) -> HEIFPlanes {
            if let planes { return planes }
            let capacity = min(image.size.height, image.tileSize.height + (image.rows > 1 ? Self.overlap : 0))
            let band = try HEIFPlanes(size: image.size, format: tile.format, capacity: capacity)
            planes = band
            return band
        }
    }

    extension HEIFImage {
        /// Whether the image is one tile without parts beyond its edges, whose memory is used without a copy.
        fileprivate var isWhole: Bool { columns == 1 && rows == 1 && tileSize == size }

        private var pictureBytes: Int { sequence.sampleCount(area: sequence.codedSize.area) * sequence.bytesPerSample }

        /// The memory in bytes while rows are delivered: a tile, and the samples of a row of tiles if it is not the whole image.
        var heldByteCount: Int {
            let band = sequence.sampleCount(area: size.width * (tileSize.height + 16)) * sequence.bytesPerSample
            return isWhole ? pictureBytes : pictureBytes + band
        }

        /// The memory in bytes that libde265 needs in addition to decode a tile: a copy of the picture for sample adaptive offset, about
        /// 1.5 bytes per pixel of information about blocks, and copies of the data.
        func workingBytes(in container: HEIFContainer) -> Int {
            pictureBytes + sequence.codedSize.area * 3 / 2 + 3 * largestTileLength(in: container)
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
