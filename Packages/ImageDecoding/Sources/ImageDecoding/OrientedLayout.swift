import ImageCore

/// The positions of stored pixels in the upright image (Exif 2.32, CIPA DC-008, 4.6.4, tag 0x0112).
struct OrientedLayout {
    let storedSize: PixelSize
    let orientation: ImageOrientation
    let uprightSize: PixelSize
    /// The index of stored pixel (0, 0) in the upright image, and its change with each column and each row.
    private let first: Int
    private let columnStep: Int
    private let rowStep: Int

    init(storedSize: PixelSize, orientation: ImageOrientation) {
        self.storedSize = storedSize
        self.orientation = orientation
        uprightSize = orientation.swapsAxes ? storedSize.transposed : storedSize
        let width = uprightSize.width
        func index(_ x: Int, _ y: Int) -> Int {
            let (right, down) = Self.upright(x, y, of: storedSize, orientation)
            return down * width + right
        }
        first = index(0, 0)
        columnStep = index(1, 0) - first
        rowStep = index(0, 1) - first
    }

    private static func upright(
        _ x: Int, _ y: Int, of stored: PixelSize, _ orientation: ImageOrientation
    ) -> (x: Int, y: Int) {
        let (fromRight, fromBottom) = (stored.width - 1 - x, stored.height - 1 - y)
        return switch orientation {
        case .up: (x, y)
        case .upMirrored: (fromRight, y)
        case .down: (fromRight, fromBottom)
        case .downMirrored: (x, fromBottom)
        case .leftMirrored: (y, x)
        case .right: (fromBottom, x)
        case .rightMirrored: (fromBottom, fromRight)
        case .left: (y, fromRight)
        }
    }

    /// Writes `rowCount` complete stored rows, the first of which is row `firstRow`, to the upright image.
    func write(_ rows: Span<UInt8>, rowCount: Int, firstRow: Int, into pixels: inout [UInt8]) {
        let width = storedSize.width
        precondition(rows.count == rowCount * width * 4, "the rows have the wrong width")
        precondition(pixels.count == storedSize.area * 4, "the image has the wrong size")
        precondition(firstRow >= 0 && firstRow + rowCount <= storedSize.height, "the rows exceed the image")
        var target = pixels.mutableSpan
        // Sound: any four bytes are four bytes; the store below checks its bounds.
        var bytes = unsafe target.mutableBytes
        for x in 0..<width {
            let column = first + x * columnStep + firstRow * rowStep
            for row in 0..<rowCount {
                // Sound: by the preconditions, `row * width + x` is within `rows`.
                let pixel = unsafe rows.bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: (row * width + x) * 4, as: UInt32.self)
                bytes.storeBytes(of: pixel, toByteOffset: (column + row * rowStep) * 4, as: UInt32.self)
            }
        }
    }
}
