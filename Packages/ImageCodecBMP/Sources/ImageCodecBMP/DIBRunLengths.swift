import ImageCore

/// Decodes runs of palette indices.
enum DIBRunLengths {
    /// Returns an index for each pixel, in the order of the rows of the file. Pixels that are left out have index 0.
    static func indices(
        _ bytes: Span<UInt8>, from start: Int, of header: DIBHeader,
        checkpoint: () throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) -> [UInt8] {
        let (width, height) = (header.size.width, header.size.height)
        let isWide = header.compression == .runLength8
        var indices = [UInt8](repeating: 0, count: width * height)
        var (offset, x, y) = (start, 0, 0)
        func isComplete() -> Bool { y >= height || (y == height - 1 && x >= width) }
        /// Appends an index of a pair of bytes, where 4 bits have two pixels per byte.
        func put(_ byte: UInt8, _ position: Int) {
            indices[y * width + x] = isWide ? byte : position % 2 == 0 ? byte >> 4 : byte & 15
            x += 1
        }
        var pairs = 0
        while offset + 1 < bytes.count, y < height {
            // Pairs beyond the edge have no pixels, and there can be millions of them.
            pairs += 1
            if pairs % 4096 == 0 { try checkpoint() }
            let (count, value) = (Int(bytes[offset]), bytes[offset + 1])
            offset += 2
            switch (count, value) {
            case (0, 0):
                try checkpoint()
                x = 0
                y += 1
            case (0, 1): return indices
            case (0, 2):
                guard offset + 1 < bytes.count else { throw .truncated(header.format) }
                x += Int(bytes[offset])
                y += Int(bytes[offset + 1])
                offset += 2
            case (0, _):
                let length = isWide ? Int(value) : (Int(value) + 1) / 2
                guard offset + length <= bytes.count else { throw .truncated(header.format) }
                for position in 0..<min(Int(value), max(0, width - x)) {
                    put(bytes[offset + (isWide ? position : position / 2)], position)
                }
                offset += length + length % 2
            default:
                for position in 0..<min(count, max(0, width - x)) { put(value, position) }
            }
        }
        guard isComplete() else { throw .truncated(header.format) }
        return indices
    }
}
