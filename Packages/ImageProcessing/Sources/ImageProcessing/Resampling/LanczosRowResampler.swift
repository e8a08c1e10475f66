public import ImageCore

/// Resizes with a Lanczos filter of three lobes while rows stream through, in gamma space, as most viewers and browsers do.
///
/// Holds as many source rows as the filter is high: `6 * ratio + 1` when it scales down, 7 when it scales up; where that
/// is more than 64, sums for about ten output rows instead, which take less.
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

    /// The memory of a stage, counted in rows of the source (twice that for a picture with alpha): at most 64, however
    /// far it scales down.
    ///
    /// - Parameters:
    ///   - length: height of the region.
    ///   - outputHeight: to which it is resized.
    public static func rowsKept(sourceHeight: Int, from length: Double, to outputHeight: Int) -> Int {
        min(
            LanczosStage.highestFilter,
            LanczosWeights.count(sourceCount: sourceHeight, step: length / Double(outputHeight)))
    }
}
