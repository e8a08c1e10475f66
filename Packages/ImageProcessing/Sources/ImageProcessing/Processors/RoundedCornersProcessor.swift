public import ImageCore

/// Rounds the corners of an image. The edge is smooth: a pixel is as visible as the part of it that lies within.
public struct RoundedCornersProcessor: ImageProcessor {
    private let radii: CornerRadii
    private let border: ImageBorder?

    /// - Parameters:
    ///   - radius: of all corners, in pixels of the image.
    ///   - border: follows the corners.
    public init(radius: Double, border: ImageBorder? = nil) { self.init(radii: CornerRadii(radius), border: border) }

    public init(radii: CornerRadii, border: ImageBorder? = nil) {
        self.radii = radii
        self.border = border
    }

    public var identifier: String { "roundedCorners(\(radii)\(border.map { ",\($0)" } ?? ""))" }

    public func process(_ bitmap: Bitmap) -> Bitmap {
        ShapedImage(bitmap, radii: radii.fitting(bitmap.size), border: border).bitmap
    }
}

/// Crops an image to the largest square in its middle, and that to a circle with a smooth edge.
public struct CircleProcessor: ImageProcessor {
    private let border: ImageBorder?

    public init(border: ImageBorder? = nil) { self.border = border }

    public var identifier: String { "circle(\(border?.description ?? ""))" }

    /// Throws what `CropProcessor` throws, which a square within the image is no cause of.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        let side = min(bitmap.size.width, bitmap.size.height)
        let square = try CropProcessor(
            x: (bitmap.size.width - side) / 2, y: (bitmap.size.height - side) / 2,
            size: PixelSize(width: side, height: side)
        ).process(bitmap)
        return ShapedImage(square, radii: CornerRadii(Double(side) / 2), border: border).bitmap
    }
}

/// Draws a frame over the edges of an image. For one that follows round corners, see `RoundedCornersProcessor` and
/// `CircleProcessor`.
public struct BorderProcessor: ImageProcessor {
    private let border: ImageBorder

    public init(_ border: ImageBorder) { self.border = border }

    public var identifier: String { "border(\(border))" }

    public func process(_ bitmap: Bitmap) -> Bitmap {
        ShapedImage(bitmap, radii: CornerRadii(0), border: border).bitmap
    }
}
