import ImageCore
import ImageProcessing

/// Replaces squares of pixels by their average.
struct PixelateProcessor: ImageProcessor {
    /// The side of the squares in pixels, at least 2.
    let side: Int

    var identifier: String { "pixelate(\(side))" }

    /// Throws the errors of the resampler, and `CancellationError`.
    func process(_ bitmap: Bitmap) throws -> Bitmap {
        let size = bitmap.size
        let blocks = PixelSize(width: (size.width + side - 1) / side, height: (size.height + side - 1) / side)
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
        return Bitmap(size: size, pixels: pixels, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace)
    }
}
