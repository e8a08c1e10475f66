/// Converts the rows of an image from the color of its file to a color space.
public protocol ColorConverter: Sendable {
    /// Creates a stage that converts `layout` rows of `width` pixels to RGBA8 in `space`.
    ///
    /// HDR is tone-mapped. Returns nil to keep the values of the pixels: if `color` is that of `space`, or if it can't be
    /// applied to rows in this layout.
    func makeStage(
        from color: SourceColor, layout: PixelLayout, to space: ColorSpace, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)?

    /// Returns the smallest color space for all colors of `layout` rows, or the largest one if none has all of them.
    ///
    /// Returns nil if `color` can't be applied to rows in this layout.
    func gamut(of color: SourceColor, layout: PixelLayout) -> ColorSpace?
}
