public import ImageCore

/// Resizes with a Lanczos filter of three lobes while rows stream through, in gamma space, as most viewers and browsers do.
///
/// Holds one source row and up to 32 rows as wide as the output, 16 bytes a pixel: those under the filter, or eight sums
/// where the filter is higher. And up to seven weights for each source column and row, more for those that it adds.
/// Opaque images take a shorter path; others are weighted by alpha, so that colour under no alpha does not show.
/// The same bytes on every processor and every platform.
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
}
