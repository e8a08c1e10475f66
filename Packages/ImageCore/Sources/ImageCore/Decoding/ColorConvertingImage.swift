/// An `OpenedImage` or `IncrementalImage` whose codec converts colors, so that the rows need no `ColorConverter`.
package protocol ColorConvertingImage: AnyObject {
    /// Sets the color of the rows that follow, which is `.automatic` at first, and returns their color space.
    func convert(to color: OutputColor) -> ColorSpace
}
