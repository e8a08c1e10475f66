public import ImageCore

/// Rounds the corners of an image. The edge is anti-aliased: alpha is the fraction of a pixel inside the shape.
public struct RoundedCornersProcessor: ImageProcessor {
    private let radii: CornerRadii
    private let border: ImageBorder?

    /// Creates a processor with the same radius for all corners.
    ///
    /// - Parameters:
    ///   - radius: The radius of the corners, in pixels of the image.
    ///   - border: A border along the edge and the corners.
    public init(radius: Double, border: ImageBorder? = nil) { self.init(radii: CornerRadii(radius), border: border) }

    /// Creates a processor with a radius for each corner.
    ///
    /// - Parameters:
    ///   - radii: The radii of the corners, in pixels of the image.
    ///   - border: A border along the edge and the corners.
    public init(radii: CornerRadii, border: ImageBorder? = nil) {
        self.radii = radii
        self.border = border
    }

    public var identifier: String { "roundedCorners(\(radii.text)\(border.map { ",\($0.text)" } ?? ""))" }

    public func process(_ bitmap: Bitmap) -> Bitmap {
        ShapedImage(bitmap, radii: radii.fitting(bitmap.size), border: border).bitmap
    }
}

/// Crops an image to the largest centered circle, with an anti-aliased edge.
public struct CircleProcessor: ImageProcessor {
    private let border: ImageBorder?

    /// Creates a processor.
    ///
    /// - Parameter border: A border along the circle.
    public init(border: ImageBorder? = nil) { self.border = border }

    public var identifier: String { "circle(\(border?.text ?? ""))" }

    /// Returns the circle on a transparent square. Throws only if the image is empty.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        let side = min(bitmap.size.width, bitmap.size.height)
        let area = PixelArea(
            left: (bitmap.size.width - side) / 2, top: (bitmap.size.height - side) / 2, width: side, height: side)
        let square = try CropProcessor(area).process(bitmap)
        return ShapedImage(square, radii: CornerRadii(Double(side) / 2), border: border).bitmap
    }
}
