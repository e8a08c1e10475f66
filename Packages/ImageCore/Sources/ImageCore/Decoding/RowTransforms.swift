#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Creates stages that resize an image row by row.
public protocol RowResampler: Sendable {
    /// The minimum ratio of source to output, in each direction, for full quality.
    ///
    /// A codec that scales while decoding decodes at this multiple of the output size or more.
    var oversampling: Double { get }

    /// Creates a stage that receives `source.height` rows of straight RGBA8 and passes `output.height` such rows to
    /// `next`.
    ///
    /// `region` is the part of the source that fills the output. It is within the source and not empty. The color of
    /// pixels with alpha 0 doesn't affect their neighbors. The same input gives the same output. The stage can enlarge
    /// and reduce. If the output is the whole source, rows are not changed.
    func makeStage(
        source: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, next: any PixelRowSink
    ) throws(DecodingFailure) -> any PixelRowSink
}

/// Creates stages that convert the rows of an image to sRGB, by an embedded ICC profile or a calibration.
public protocol ColorConverter: Sendable {
    /// Creates a stage that converts `layout` rows of `width` pixels to RGBA8 in sRGB.
    ///
    /// Returns nil to ignore `profile`, if it can't be read, is sRGB, or is not a profile for this layout.
    func makeStage(
        profile: Data, layout: PixelLayout, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)?

    /// Creates a stage that converts rows of `width` straight RGBA8 pixels to sRGB.
    ///
    /// Returns nil to ignore `calibration`, if it can't be applied or is sRGB.
    func makeStage(calibration: ColorCalibration, width: Int, next: any PixelRowSink) -> (any PixelRowSink)?
}
