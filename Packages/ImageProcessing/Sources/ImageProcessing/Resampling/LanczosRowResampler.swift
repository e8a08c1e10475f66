public import ImageCore

/// Resizes with a Lanczos filter of three lobes while rows stream through, in gamma space, as most viewers and browsers do.
///
/// Holds as many source rows as the filter is high: `6 * ratio + 1` when it scales down, 7 when it scales up.
/// Opaque pictures take a shorter path; others are weighted by alpha, so that colour under no alpha does not show.
public struct LanczosRowResampler: RowResampler {
    /// 2 by default: what a codec has scaled is soft near its own resolution, and twice the output hides that.
    public let oversampling: Double

    /// - Parameter oversampling: 1 for speed, 2 for quality. Below 1 counts as 1.
    public init(oversampling: Double = 2) { self.oversampling = max(1, oversampling) }

    public func makeStage(
        source: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, next: any PixelRowSink
    ) throws(DecodingFailure) -> any PixelRowSink {
        if output == source, region == PixelRegion(source) { return next }
        return LanczosStage(source: source, region: region, output: output, isOpaque: isOpaque, next: next)
    }

    /// How many rows of the source a stage keeps, so that its memory can be foretold.
    ///
    /// - Parameters:
    ///   - length: height of the region.
    ///   - outputHeight: to which it is resized.
    public static func rowsKept(sourceHeight: Int, from length: Double, to outputHeight: Int) -> Int {
        LanczosWeights.count(sourceCount: sourceHeight, step: length / Double(outputHeight))
    }
}
