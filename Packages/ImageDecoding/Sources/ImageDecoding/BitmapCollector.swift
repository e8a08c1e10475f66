import ImageCore

/// The last stage: puts rows in stored orientation into an upright image.
///
/// Each pixel is written once, to its final place, so that turning an image needs no second one.
final class BitmapCollector: PixelRowSink {
    private let storedSize: PixelSize
    private let origin: (x: Int, y: Int)
    private let layout: UprightLayout
    private let checksAlpha: Bool
    private let pool: PixelBufferPool?
    /// Empty until the first row is there, so that a file which promises much and holds nothing costs nothing.
    private var pixels: [UInt8] = []
    /// The last few rows of an image whose axes are exchanged: written in blocks, because each of its pixels goes to
    /// another row and sixteen of them share a line of the processor's cache.
    private var strip: [UInt8] = []
    private var received = 0
    private var alpha: UInt8 = 255

    private static let stripRows = 16

    /// - Parameters:
    ///   - storedSize: of the result before it is turned.
    ///   - origin: the first column and row to keep of what comes.
    ///   - checksAlpha: false when every pixel is known to be opaque.
    ///   - pool: where the memory comes from and goes back to.
    init(
        storedSize: PixelSize, origin: (x: Int, y: Int), orientation: ImageOrientation, checksAlpha: Bool,
        pool: PixelBufferPool?
    ) {
        self.storedSize = storedSize
        self.origin = origin
        self.checksAlpha = checksAlpha
        self.pool = pool
        layout = UprightLayout(storedSize: storedSize, orientation: orientation)
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        defer { received += 1 }
        let y = received - origin.y
        guard (0..<storedSize.height).contains(y) else { return }
        if y == 0 { allocate() }
        let kept = row.extracting(origin.x * 4..<(origin.x + storedSize.width) * 4)
        if checksAlpha { alpha &= Self.commonAlpha(of: kept) }
        if layout.orientation == .up {
            Self.append(kept, to: &pixels)
        } else if layout.orientation.swapsAxes {
            Self.append(kept, to: &strip)
            if y % Self.stripRows == Self.stripRows - 1 || y == storedSize.height - 1 { writeStrip(endingAt: y) }
        } else {
            layout.place(kept, rowCount: 1, firstRow: y, into: &pixels)
        }
    }

    /// An image that is the result already.
    func takeImage(_ image: [UInt8]) throws(DecodingFailure) -> Bool {
        guard received == 0, origin == (0, 0), layout.orientation == .up, image.count == storedSize.area * 4 else {
            return false
        }
        if checksAlpha { alpha = Self.commonAlpha(of: image.span) }
        pixels = image
        received = storedSize.height
        return true
    }

    /// The image; throws when rows are missing, which is the decoder's fault. Call once.
    func finish(format: ImageFormat) throws(DecodingFailure) -> Bitmap {
        guard received >= origin.y + storedSize.height else {
            throw .malformed(format, "the decoder handed over \(received) rows of an image of \(storedSize)")
        }
        defer { pixels = [] }
        return Bitmap(size: layout.uprightSize, pixels: pixels, isOpaque: alpha == 255, pool: pool)
    }

    private func allocate() {
        let byteCount = storedSize.area * 4
        if layout.orientation == .up {
            if let pool { pixels = pool.take(byteCount: byteCount) } else { pixels.reserveCapacity(byteCount) }
        } else {
            // Turned rows are written in any order, but all of them.
            pixels = pool?.takeFilled(byteCount: byteCount) ?? [UInt8](repeating: 0, count: byteCount)
        }
    }

    private func writeStrip(endingAt y: Int) {
        let rowCount = strip.count / (storedSize.width * 4)
        layout.place(strip.span, rowCount: rowCount, firstRow: y + 1 - rowCount, into: &pixels)
        strip.removeAll(keepingCapacity: true)
    }

    private static func append(_ row: Span<UInt8>, to bytes: inout [UInt8]) {
        // Sound: the pointer is used within the closure only.
        unsafe row.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// The bits that all alpha values have in common: 255 when all are. Four pixels at a time: animations need it for each frame.
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
