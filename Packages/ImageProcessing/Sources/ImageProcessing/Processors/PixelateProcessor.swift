public import ImageCore

/// Replaces squares of pixels by their average.
public struct PixelateProcessor: ImageProcessor {
    private let side: Int

    /// Creates a processor.
    ///
    /// - Parameter side: The side of the squares in pixels. 1 and less leave the image as it is.
    public init(side: Int) { self.side = max(1, side) }

    public var identifier: String { "pixelate(\(side))" }

    /// Returns an image of the same size. Throws `CancellationError`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        let size = bitmap.size
        if side == 1 || size.area == 0 { return bitmap }
        var pixels = bitmap.withoutHiddenAlpha.pixels
        for top in stride(from: 0, to: size.height, by: side) {
            let rows = top..<top + min(side, size.height - top)
            var sums = [Sum](repeating: Sum(), count: (size.width - 1) / side + 1)
            for y in rows {
                try Task.checkCancellation()
                for x in 0..<size.width {
                    let offset = (y * size.width + x) * 4
                    sums[x / side].add(pixels[offset..<offset + 4])
                }
            }
            let averages = sums.map(\.average)
            for y in rows {
                for x in 0..<size.width {
                    let (average, offset) = (averages[x / side], (y * size.width + x) * 4)
                    for channel in 0..<4 { pixels[offset + channel] = average[channel] }
                }
            }
        }
        return Bitmap(like: bitmap, size: size, pixels: pixels)
    }

    /// The sum of the pixels of a square, in which a transparent pixel has no color.
    private struct Sum {
        private var colors = SIMD3<Int>.zero
        private var alpha = 0
        private var count = 0

        mutating func add(_ pixel: ArraySlice<UInt8>) {
            let (start, opacity) = (pixel.startIndex, Int(pixel[pixel.startIndex + 3]))
            colors &+= SIMD3(Int(pixel[start]), Int(pixel[start + 1]), Int(pixel[start + 2])) &* opacity
            alpha += opacity
            count += 1
        }

        var average: SIMD4<UInt8> {
            guard alpha > 0 else { return .zero }
            let color = (colors &+ alpha / 2) / alpha
            return SIMD4(SIMD3<UInt8>(truncatingIfNeeded: color), UInt8((alpha + count / 2) / count))
        }
    }
}
