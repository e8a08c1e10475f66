import ImageCore

/// An image clipped to a rounded rectangle, with a border along its inner side.
///
/// Each pixel is a sum of parts: the image inside the border, the border over the image, and nothing outside. Pixels
/// that are completely inside the border keep their exact bytes.
struct ShapedImage {
    private let image: Bitmap
    private let outer: RoundedRectangle
    private let inner: RoundedRectangle
    private let borderColor: SIMD4<Float>

    /// - Parameter radii: The radii, which fit the image.
    init(_ image: Bitmap, radii: CornerRadii, border: ImageBorder?) {
        let (width, height) = (image.size.width, image.size.height)
        self.image = image
        outer = RoundedRectangle(width: width, height: height, radii: radii)
        inner = RoundedRectangle(width: width, height: height, inset: border?.width ?? 0, radii: radii)
        borderColor = border?.color.premultiplied ?? SIMD4()
    }

    var bitmap: Bitmap {
        let source = image.pixels
        var pixels = source
        let none = [Float](repeating: 0, count: image.size.width)
        for y in 0..<image.size.height {
            var (outside, inside) = (none, none)
            outer.cover(row: y, into: &outside)
            inner.cover(row: y, into: &inside)
            for x in 0..<image.size.width where inside[x] < 1 {
                let index = y * image.bytesPerRow + x * 4
                let pixel = SIMD4(premultiplying: source.span, at: index)
                let bordered = borderColor + pixel * (1 - borderColor.w)
                let sum = pixel * inside[x] + bordered * max(0, outside[x] - inside[x])
                sum.storeStraight(in: &pixels, at: index)
            }
        }
        return Bitmap(size: image.size, pixels: pixels)
    }
}
