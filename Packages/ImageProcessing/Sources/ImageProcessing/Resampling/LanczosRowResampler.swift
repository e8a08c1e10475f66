public import ImageCore

/// Resizes a stream of rows with a three-lobed Lanczos filter, in gamma space like most viewers and browsers.
///
/// Keeps one source row, and up to 32 rows of the output width with 12 bytes per opaque pixel, or 16 per pixel with alpha.
/// When the filter is higher, it keeps four rows and eight rows of sums instead. Also keeps up to seven weights per source
/// column and row, and more when it scales up. Color is weighted by alpha, so that the color of transparent pixels has no
/// effect. The result has the same bytes on all processors and platforms.
public struct LanczosRowResampler: RowResampler {
    /// The desired ratio of the decoded size to the output size.
    ///
    /// The default is 2, because an image scaled by a codec is blurred near its resolution.
    public let oversampling: Double

    /// Creates a resampler.
    ///
    /// - Parameter oversampling: 1 for speed, 2 for quality. Values below 1 count as 1.
    public init(oversampling: Double = 2) { self.oversampling = max(1, oversampling) }

    public func makeStage(
        source: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, next: any PixelRowSink
    ) throws(DecodingFailure) -> any PixelRowSink {
        if output == source, region == PixelRegion(source) { return next }
        return LanczosStage(source: source, region: region, output: output, isOpaque: isOpaque, next: next)
    }
}
