#if HEIF
    import ImageCore

    /// Decodes, converts and delivers an image in strips of rows.
    struct StripDecoder {
        let color: PlaneSource
        let alpha: PlaneSource?
        /// The color in the container. Nil if it is that of the HEVC data.
        let coding: CodingColor?
        let hasProfile: Bool
        let sequence: HEVCSequence
        let isPremultiplied: Bool
        let area: PixelArea
        let layout: PixelLayout

        /// The memory in bytes for rows that are converted at once.
        private static let stripBytes = 256 << 10

        func decode(into sink: any PixelRowSink) throws(ImageDecodingError) {
            let stride = layout.bytesPerPixel * area.width
            let stripRows = min(area.height, max(1, Self.stripBytes / stride))
            var strip = [UInt8](repeating: 0, count: stripRows * stride)
            var row = 0
            while row < area.height {
                try sink.checkCancellation()
                try decodeRows(for: row, into: sink)
                let end = min(row + stripRows, availableRows)
                guard let planes = color.planes else { return }
                try converter().convert(row..<end, of: planes, alpha: alpha?.planes, into: &strip)
                for y in 0..<end - row {
                    try sink.receive(strip.span.extracting(y * stride..<(y + 1) * stride))
                }
                row = end
            }
        }

        private func converter() throws(ImageDecodingError) -> HEIFConverter {
            // The header can't know what only the HEVC data says.
            if coding == nil, !hasProfile, try color.coded.source().isHDR {
                throw .unsupported(.heic, "HDR without a color property")
            }
            return try HEIFConverter(
                area, color: coding ?? color.coded, sequence: sequence, layout: layout, isPremultiplied: isPremultiplied
            )
        }

        /// Decodes until a row of the area can be converted. Removes the rows above it before, also those above the area.
        private func decodeRows(for row: Int, into sink: any PixelRowSink) throws(ImageDecodingError) {
            for source in [color, alpha].compactMap({ $0 }) {
                while availableRows(in: source) <= row {
                    source.removeRows(above: area.top + row)
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
    final class PlaneSource {
        /// What is decoded. Nil if `planes` has the whole image.
        private let source: (image: HEIFImage, container: HEIFContainer)?
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
            source = (image, container)
        }

        /// Creates a source of rows that are decoded.
        init(_ planes: HEIFPlanes) {
            source = nil
            self.planes = planes
            coded = planes.color
        }

        /// Whether all rows are decoded.
        var isComplete: Bool { source.map { rowCount == $0.image.size.height } ?? true }

        /// Decodes more rows.
        ///
        /// - Parameter checkpoint: Called before each tile.
        func decodeRows(checkpoint: () throws(ImageDecodingError) -> Void) throws(ImageDecodingError) {
            guard let (image, container) = source else { return }
            for column in 0..<image.columns {
                try checkpoint()
                let tile = try image.decodeTile(tileRow * image.columns + column, in: container)
                coded = tile.color
                if image.isWhole {
                    planes = tile
                } else {
                    try band(for: tile, of: image).paste(tile, at: column * image.tileSize.width)
                }
            }
            let added = min(image.tileSize.height, image.size.height - rowCount)
            if !image.isWhole { planes?.addRows(added) }
            rowCount += added
            tileRow += 1
        }

        /// Releases the rows above a row, except one, to make room for the next row of tiles.
        func removeRows(above row: Int) { planes?.removeRows(above: row - 1) }

        private func band(for tile: HEIFPlanes, of image: HEIFImage) throws(ImageDecodingError) -> HEIFPlanes {
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
#endif
