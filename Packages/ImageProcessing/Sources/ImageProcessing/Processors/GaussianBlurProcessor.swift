public import ImageCore

/// Blurs an image with a Gaussian, in gamma space. The time does not depend on sigma.
///
/// The result is within half a level of the sampled Gaussian. Pixels at the edge repeat beyond it, so that an opaque
/// image stays opaque. Color is weighted by alpha: the color of transparent pixels has no effect. Needs eight bytes of
/// memory per pixel in addition to the result.
public struct GaussianBlurProcessor: ImageProcessor {
    /// The standard deviation in pixels, from 0 (no blur) to 1,000.
    private let sigma: Double

    /// Creates a processor.
    ///
    /// - Parameter sigma: The standard deviation in pixels. Clamped to 0...1,000; NaN counts as 0.
    public init(sigma: Double) { self.sigma = sigma > 0 ? min(sigma, 1_000) : 0 }

    public var identifier: String { "gaussianBlur(\(sigma))" }

    /// Returns the blurred image. Throws only `CancellationError`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        if sigma == 0 || bitmap.size.area == 0 { return bitmap }
        var image = BlurredImage(bitmap, filter: GaussianFilter.make(sigma: sigma))
        return try image.bitmap()
    }
}

/// Applies a filter to the columns of an image, then to its rows.
struct BlurredImage {
    private let image: Bitmap
    private let filter: any LineFilter
    /// The image after the columns, premultiplied: color times alpha, and alpha times 255.
    private var columnsBlurred: [UInt16]

    /// The number of adjacent columns that are processed together, because their pixels share CPU cache lines.
    private static let stripWidth = 16
    /// The maximum product of color and alpha.
    private static let full = 65_025.0

    init(_ image: Bitmap, filter: any LineFilter) {
        self.image = image.withoutHiddenAlpha
        self.filter = filter
        columnsBlurred = [UInt16](repeating: 0, count: image.pixels.count)
    }

    mutating func bitmap() throws -> Bitmap {
        for x in stride(from: 0, to: image.size.width, by: Self.stripWidth) {
            try Task.checkCancellation()
            blurColumns(x..<min(image.size.width, x + Self.stripWidth))
        }
        var pixels = image.pixels
        var line = FilteredLine(count: image.size.width)
        for y in 0..<image.size.height {
            try Task.checkCancellation()
            blurRow(y, line: &line, into: &pixels)
        }
        return Bitmap(size: image.size, pixels: pixels, colorSpace: image.colorSpace)
    }

    private mutating func blurColumns(_ columns: Range<Int>) {
        let height = image.size.height
        var lines = [FilteredLine](repeating: FilteredLine(count: height), count: columns.count)
        let input = image.pixels
        let pixels = input.span
        for y in 0..<height {
            for x in columns {
                let index = y * image.bytesPerRow + x * 4
                lines[x - columns.lowerBound].samples[y] = Self.premultiplied(pixels, at: index)
            }
        }
        for index in lines.indices { filter.apply(to: &lines[index]) }
        for y in 0..<height {
            for x in columns {
                let values = Self.clamped(lines[x - columns.lowerBound].result[y])
                let index = y * image.bytesPerRow + x * 4
                for channel in 0..<4 { columnsBlurred[index + channel] = UInt16(values[channel] + 0.5) }
            }
        }
    }

    private func blurRow(_ y: Int, line: inout FilteredLine, into pixels: inout [UInt8]) {
        let start = y * image.bytesPerRow
        for x in 0..<image.size.width {
            let index = start + x * 4
            line.samples[x] = SIMD4(
                Double(columnsBlurred[index]), Double(columnsBlurred[index + 1]), Double(columnsBlurred[index + 2]),
                Double(columnsBlurred[index + 3]))
        }
        filter.apply(to: &line)
        for x in 0..<image.size.width {
            SIMD4<Float>(Self.clamped(line.result[x]) / Self.full).storeStraight(in: &pixels, at: start + x * 4)
        }
    }

    @inline(__always)
    private static func premultiplied(_ pixels: Span<UInt8>, at index: Int) -> SIMD4<Double> {
        SIMD4(Double(pixels[index]), Double(pixels[index + 1]), Double(pixels[index + 2]), 255)
            * Double(pixels[index + 3])
    }

    @inline(__always)
    private static func clamped(_ values: SIMD4<Double>) -> SIMD4<Double> {
        values.clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: full))
    }
}

/// A row or column of pixels before and after filtering.
struct FilteredLine {
    var samples: [SIMD4<Double>]
    var result: [SIMD4<Double>]

    init(count: Int) {
        samples = [SIMD4<Double>](repeating: SIMD4(), count: count)
        result = samples
    }
}

/// A filter along a line. The first and last samples repeat beyond the ends.
protocol LineFilter {
    /// Filters `samples` into `result`. Both have the same length and are not empty.
    func apply(to line: inout FilteredLine)
}
