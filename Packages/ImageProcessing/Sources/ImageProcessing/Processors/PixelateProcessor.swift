public import ImageCore

/// Replaces squares of pixels by their average.
public struct PixelateProcessor: ImageProcessor {
    private let side: Int

    /// Creates a processor.
    ///
    /// - Parameter side: The side of the squares in pixels. 1 and less leave the image as it is.
    public init(side: Int) { self.side = max(1, side) }

    public var identifier: String { "pixelate(\(side))" }

    /// Returns an image of the same size. Throws `ImageDecodingError.limitExceeded` as `ResizeProcessor` does, and
    /// `CancellationError`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        let size = bitmap.size
        if side == 1 || size.area == 0 { return bitmap }
        let blocks = PixelSize(width: (size.width - 1) / side + 1, height: (size.height - 1) / side + 1)
        let small = try ResizeProcessor(stretchingTo: blocks).process(bitmap).pixels
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.area * 4)
        for y in 0..<size.height {
            try Task.checkCancellation()
            for x in 0..<size.width {
                let offset = (y / side * blocks.width + x / side) * 4
                pixels += small[offset..<offset + 4]
            }
        }
        return Bitmap(like: bitmap, size: size, pixels: pixels)
    }
}
