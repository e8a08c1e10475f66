import ImageCore

/// The last stage of the pipeline: collects rows in stored orientation into an upright image.
///
/// Each pixel is written once, at its final position, so that rotation needs no second buffer.
final class BitmapCollector: PixelRowSink {
    private let storedSize: PixelSize
    private let offset: (x: Int, y: Int)
    private let layout: OrientedLayout
    private let checksAlpha: Bool
    private let pool: PixelBufferPool?
    /// Allocated with the first row, so that a header with a huge size and no pixels costs no memory.
    private var pixels: [UInt8] = []
    /// The last few rows of an image whose axes are swapped. Each of their pixels belongs to a different output row.
    /// Rows are therefore written in blocks of 16, whose pixels share a cache line of the CPU.
    private var strip: [UInt8] = []
    private var received = 0
    private var alpha: UInt8 = 255

    private static let stripRows = 16

    /// - Parameters:
    ///   - offset: The first column and row to keep.
    ///   - checksAlpha: False if every pixel is known to be opaque.
    init(
        storedSize: PixelSize, offset: (x: Int, y: Int), orientation: ImageOrientation, checksAlpha: Bool,
        pool: PixelBufferPool?
    ) {
        self.storedSize = storedSize
        self.offset = offset
        self.checksAlpha = checksAlpha
        self.pool = pool
        layout = OrientedLayout(storedSize: storedSize, orientation: orientation)
    }

    func receive(_ row: Span<UInt8>) throws(ImageDecodingError) {
        defer { received += 1 }
        let y = received - offset.y
        guard (0..<storedSize.height).contains(y) else { return }
        if y == 0 { allocate() }
        let kept = row.extracting(offset.x * 4..<(offset.x + storedSize.width) * 4)
        if checksAlpha { alpha &= Self.commonAlpha(of: kept) }
        if layout.orientation == .up {
            Self.append(kept, to: &pixels)
        } else if layout.orientation.swapsAxes {
            Self.append(kept, to: &strip)
            if y % Self.stripRows == Self.stripRows - 1 || y == storedSize.height - 1 { writeStrip(endingAt: y) }
        } else {
            layout.write(kept, rowCount: 1, firstRow: y, into: &pixels)
        }
    }

    /// Receives an image that needs neither cropping nor rotation.
    func receiveImage(
        byteCount: Int, write: (inout [UInt8]) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) -> Bool {
        guard received == 0, offset == (0, 0), layout.orientation == .up, byteCount == storedSize.area * 4 else {
            return false
        }
        var image = memory(byteCount)
        try write(&image)
        if checksAlpha { alpha = Self.commonAlpha(of: image.span) }
        pixels = image
        received = storedSize.height
        return true
    }

    /// Returns memory with arbitrary bytes.
    private func memory(_ byteCount: Int) -> [UInt8] {
        if let pool { return pool.takeFilled(byteCount: byteCount) }
        return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { $1 = byteCount }
    }

    /// Returns the image. Throws if the decoder has delivered too few rows. Call it once.
    func finish(format: ImageFormat, colorSpace: ColorSpace) throws(ImageDecodingError) -> Bitmap {
        guard received >= offset.y + storedSize.height else {
            throw .malformed(format, "the decoder delivered \(received) rows of an image of \(storedSize)")
        }
        defer { pixels = [] }
        return Bitmap(
            size: layout.uprightSize, pixels: pixels, isOpaque: alpha == 255, colorSpace: colorSpace, pool: pool)
    }

    private func allocate() {
        let byteCount = storedSize.area * 4
        if layout.orientation == .up {
            if let pool { pixels = pool.take(byteCount: byteCount) } else { pixels.reserveCapacity(byteCount) }
        } else {
            // Rotated rows are written in any order, but each of them is written.
            pixels = memory(byteCount)
        }
    }

    private func writeStrip(endingAt y: Int) {
        let rowCount = strip.count / (storedSize.width * 4)
        layout.write(strip.span, rowCount: rowCount, firstRow: y + 1 - rowCount, into: &pixels)
        strip.removeAll(keepingCapacity: true)
    }

    private static func append(_ row: Span<UInt8>, to bytes: inout [UInt8]) {
        // Sound: the pointer is used within the closure only.
        unsafe row.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Returns the bitwise AND of all alpha values, which is 255 if all pixels are opaque. Processes four pixels at a
    /// time.
    private static func commonAlpha(of row: Span<UInt8>) -> UInt8 {
        let bytes = unsafe row.bytes
        let groupCount = row.count / 16
        var groups = SIMD4<UInt32>(repeating: .max)
        // Sound: there are as many groups of 16 bytes.
        for group in 0..<groupCount {
            groups &= unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: group * 16, as: SIMD4<UInt32>.self)
        }
        let pixels = groups[0] & groups[1] & groups[2] & groups[3]
        var common = UInt8(truncatingIfNeeded: UInt32(littleEndian: pixels) >> 24)
        for index in stride(from: groupCount * 16 + 3, to: row.count, by: 4) { common &= row[index] }
        return common
    }
}

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
