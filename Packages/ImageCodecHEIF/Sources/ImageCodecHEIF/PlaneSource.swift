#if HEIF
    import ImageCore

    /// Decodes an image from top to bottom: at once, or one row of tiles after the other.
    final class PlaneSource {
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
        func decodeRows(checkpoint: () throws(DecodingFailure) -> Void) throws(DecodingFailure) {
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

        private func band(for tile: HEIFPlanes) throws(DecodingFailure) -> HEIFPlanes {
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
        var heldBytes: Int {
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
