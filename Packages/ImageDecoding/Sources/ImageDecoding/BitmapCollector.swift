import ImageCore

/// The last stage: puts rows in stored orientation into an upright picture.
///
/// Each pixel is written once, to its final place, so that turning a picture needs no second one.
final class BitmapCollector: PixelRowSink {
    private let storedSize: PixelSize
    private let origin: (x: Int, y: Int)
    private let layout: UprightLayout
    private let checksAlpha: Bool
    /// Empty until the first row is there, so that a file which promises much and holds nothing costs nothing.
    private var pixels: [UInt8] = []
    /// The last few rows of a picture whose axes are exchanged: written in blocks, because each of its pixels goes to
    /// another row and sixteen of them share a line of the processor's cache.
    private var strip: [UInt8] = []
    private var received = 0
    private var alpha: UInt8 = 255

    private static let stripRows = 16

    /// - Parameters:
    ///   - storedSize: of the result before it is turned.
    ///   - origin: the first column and row to keep of what comes.
    ///   - checksAlpha: false when every pixel is known to be opaque.
    init(storedSize: PixelSize, origin: (x: Int, y: Int), orientation: ImageOrientation, checksAlpha: Bool) {
        self.storedSize = storedSize
        self.origin = origin
        self.checksAlpha = checksAlpha
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

    /// The picture; throws when rows are missing, which is the decoder's fault. Call once.
    func finish(format: ImageFormat) throws(DecodingFailure) -> Bitmap {
        guard received >= origin.y + storedSize.height else {
            throw .malformed(format, "the decoder handed over \(received) rows of a picture of \(storedSize)")
        }
        defer { pixels = [] }
        return Bitmap(size: layout.uprightSize, pixels: pixels, isOpaque: alpha == 255)
    }

    private func allocate() {
        if layout.orientation == .up {
            pixels.reserveCapacity(storedSize.area * 4)
        } else {
            pixels = [UInt8](repeating: 0, count: storedSize.area * 4)
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

    /// The bits that all alpha values have in common: 255 when all are.
    private static func commonAlpha(of row: Span<UInt8>) -> UInt8 {
        var common: UInt8 = 255
        for index in 0..<row.count / 4 { common &= row[index * 4 + 3] }
        return common
    }
}
