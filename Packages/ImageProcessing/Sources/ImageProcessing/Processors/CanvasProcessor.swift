public import ImageCore

/// Places an image on a transparent canvas. What is outside of the canvas is cut off.
public struct CanvasProcessor: ImageProcessor {
    private let origin: (x: Int, y: Int)
    private let size: PixelSize
    private let limits: DecodingLimits

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - x: The column of the canvas at the left of the image. Can be negative.
    ///   - y: The row of the canvas at the top of the image. Can be negative.
    ///   - size: The size of the canvas in pixels. A side below 1 traps.
    ///   - limits: The limits of the sides, pixels and bytes of the canvas.
    public init(x: Int, y: Int, size: PixelSize, limits: DecodingLimits = .default) {
        precondition(size.width > 0 && size.height > 0, "a canvas has sides of at least 1 pixel, not \(size)")
        origin = (x, y)
        self.size = size
        self.limits = limits
    }

    public var identifier: String { "canvas(\(origin.x),\(origin.y),\(size))" }

    /// Returns the canvas with the image. Throws `ImageDecodingError.limitExceeded` before it allocates memory, and
    /// `CancellationError`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        try limits.check(size)
        try limits.check(.decodedBytes, size.byteCount(.rgba8))
        let source = bitmap.withoutHiddenAlpha.pixels
        let columns = Self.part(of: bitmap.size.width, at: origin.x, in: size.width)
        var pixels = [UInt8](repeating: 0, count: size.area * 4)
        for y in Self.part(of: bitmap.size.height, at: origin.y, in: size.height) where !columns.isEmpty {
            try Task.checkCancellation()
            let start = ((origin.y + y) * size.width + origin.x + columns.lowerBound) * 4
            let row = y * bitmap.bytesPerRow
            pixels.replaceSubrange(
                start..<start + columns.count * 4,
                with: source[row + columns.lowerBound * 4..<row + columns.upperBound * 4])
        }
        return Bitmap(size: size, pixels: pixels, colorSpace: bitmap.colorSpace)
    }

    /// Returns the columns or rows of an image that are inside of the canvas.
    private static func part(of side: Int, at start: Int, in canvas: Int) -> Range<Int> {
        // Positions beyond all sides are the same as those just outside.
        let start = min(max(start, -side), canvas)
        return max(0, -start)..<max(max(0, -start), min(side, canvas - start))
    }
}
