public import ImageCore

// Short names for the processors of a request: `processors: [.blur(sigma: 4), .circle()]`.

extension ImageProcessor where Self == GaussianBlurProcessor {
    /// A Gaussian blur.
    /// - Parameter sigma: The standard deviation in pixels.
    public static func blur(sigma: Double) -> Self { Self(sigma: sigma) }
}

extension ImageProcessor where Self == RoundedCornersProcessor {
    /// Rounded corners.
    /// - Parameters:
    ///   - radius: The radius in pixels.
    ///   - border: Drawn along the edge.
    public static func roundedCorners(radius: Double, border: ImageBorder? = nil) -> Self {
        Self(radius: radius, border: border)
    }
}

extension ImageProcessor where Self == CircleProcessor {
    /// The largest centered circle of the image.
    /// - Parameter border: Drawn along the edge.
    public static func circle(border: ImageBorder? = nil) -> Self { Self(border: border) }
}

extension ImageProcessor where Self == TintProcessor {
    /// A tint.
    public static func tint(_ color: PixelColor, mode: TintProcessor.Mode = .overlay) -> Self {
        Self(color, mode: mode)
    }
}

extension ImageProcessor where Self == CropProcessor {
    /// A part of the image.
    /// - Parameters:
    ///   - x: Pixels from the left edge.
    ///   - y: Pixels from the top edge.
    ///   - size: The size of the part in pixels.
    public static func crop(x: Int, y: Int, size: PixelSize) -> Self { Self(x: x, y: y, size: size) }
}
