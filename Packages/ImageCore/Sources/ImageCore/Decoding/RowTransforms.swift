#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Creates stages that resize an image row by row.
public protocol RowResampler: Sendable {
    /// How many times larger than the output the source should at least be for full quality, in each direction.
    ///
    /// A codec that scales while decoding is asked for an image that covers the output this many times.
    var oversampling: Double { get }

    /// A stage that receives `source.height` rows of straight RGBA8 and hands `output.height` rows of the same to `next`.
    ///
    /// `region` is the part of the source that fills the output; it lies within the source and is not empty.
    /// Colour under zero alpha does not bleed into its neighbours. Deterministic: same input, same bytes.
    /// Works downwards and upwards; output equal to the whole source passes rows through unchanged.
    func makeStage(
        source: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, next: any PixelRowSink
    ) throws(DecodingFailure) -> any PixelRowSink
}

/// Creates stages that convert the rows of an image to sRGB, by an embedded ICC profile or a calibration.
public protocol ColorConverter: Sendable {
    /// A stage from `layout` rows of `width` pixels to RGBA8 rows in sRGB, or nil when `profile` should be ignored:
    /// it can't be read, is sRGB already, or is no profile for this layout.
    func makeStage(
        profile: Data, layout: PixelLayout, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)?

    /// A stage from rows of `width` straight RGBA8 pixels to the same in sRGB, or nil when `calibration` should be ignored:
    /// it can't be applied, or is sRGB already.
    func makeStage(calibration: ColorCalibration, width: Int, next: any PixelRowSink) -> (any PixelRowSink)?
}
