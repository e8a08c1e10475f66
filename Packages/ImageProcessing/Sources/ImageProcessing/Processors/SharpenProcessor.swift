public import ImageCore

/// Sharpens edges in the way of libvips: the lightness moves away from its Gaussian blur, but not in flat areas, and by
/// no more than a limit.
public struct SharpenProcessor: ImageProcessor {
    /// Differences of the lightness below this are flat. The lightness is from 0 to 100.
    private static let flat = 2.0
    /// How much is added of a difference above it.
    private static let slope = 3.0
    /// The most by which a pixel becomes lighter or darker.
    private static let (lightest, darkest) = (10.0, 20.0)

    private let sigma: Double

    /// Creates a processor.
    ///
    /// - Parameter sigma: The standard deviation of the blur in pixels. Clamped to 0 (no change) to 1,000; NaN counts as 0.
    public init(sigma: Double) { self.sigma = sigma > 0 ? min(sigma, 1_000) : 0 }

    public var identifier: String { "sharpen(\(sigma))" }

    /// Returns the sharpened image. Throws only `CancellationError`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        if sigma == 0 || bitmap.size.area == 0 { return bitmap }
        let soft = try GaussianBlurProcessor(sigma: sigma).process(bitmap).pixels
        var sharp = bitmap.pixels
        for index in stride(from: 0, to: soft.count, by: 4) {
            if index % bitmap.bytesPerRow == 0 { try Task.checkCancellation() }
            let change = Self.change(of: Self.lightness(sharp, index) - Self.lightness(soft, index))
            if change == 0 { continue }
            for channel in index..<index + 3 {
                sharp[channel] = UInt8(min(max(Double(sharp[channel]) + change * 2.55, 0), 255).rounded())
            }
        }
        return Bitmap(like: bitmap, size: bitmap.size, pixels: sharp)
    }

    private static func lightness(_ pixels: [UInt8], _ index: Int) -> Double {
        let (red, green, blue) = (Double(pixels[index]), Double(pixels[index + 1]), Double(pixels[index + 2]))
        return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 2.55
    }

    private static func change(of difference: Double) -> Double {
        let excess = abs(difference) - flat
        if excess <= 0 { return 0 }
        return difference > 0 ? min(excess * slope, lightest) : -min(excess * slope, darkest)
    }
}
