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
