public import ImageCore

// Short names for the processors of a request: `processors: [.blur(sigma: 4), .circle()]`.

extension ImageProcessor where Self == GaussianBlurProcessor {
    /// Returns a processor that applies a Gaussian blur.
    /// - Parameter sigma: The standard deviation in pixels.
    public static func blur(sigma: Double) -> Self { Self(sigma: sigma) }
}

extension ImageProcessor where Self == SharpenProcessor {
    /// Returns a processor that sharpens edges.
    /// - Parameter sigma: The standard deviation of the blur in pixels.
    public static func sharpen(sigma: Double) -> Self { Self(sigma: sigma) }
}

extension ImageProcessor where Self == PixelateProcessor {
    /// Returns a processor that replaces squares of pixels by their average.
    /// - Parameter side: The side of the squares in pixels.
    public static func pixelate(side: Int) -> Self { Self(side: side) }
}

extension ImageProcessor where Self == RoundedCornersProcessor {
    /// Returns a processor that rounds the corners.
    /// - Parameters:
    ///   - radius: The radius in pixels.
    ///   - border: A border along the edge.
    public static func roundedCorners(radius: Double, border: ImageBorder? = nil) -> Self {
        Self(radius: radius, border: border)
    }

    /// Returns a processor that rounds each corner with its own radius.
    /// - Parameters:
    ///   - radii: The radii in pixels.
    ///   - border: A border along the edge.
    public static func roundedCorners(radii: CornerRadii, border: ImageBorder? = nil) -> Self {
        Self(radii: radii, border: border)
    }
}

extension ImageProcessor where Self == ResizeProcessor {
    /// Returns a processor that resizes the image. Decoding directly to a target (`ImageRequest.target`) is faster.
    /// - Parameter target: The size of the result, and how the image fits it.
    public static func resize(_ target: ImageTarget) -> Self { Self(target) }
}

extension ImageProcessor where Self == ClosureProcessor {
    /// Returns a processor that calls a closure.
    /// - Parameters:
    ///   - identifier: Identifies the closure and all values that it captures. It is part of the cache key.
    ///   - transform: Returns the same result for the same image at any time and on any thread.
    public static func custom(
        identifier: String, _ transform: @escaping @Sendable (Bitmap) throws -> Bitmap
    ) -> Self {
        Self(identifier: identifier, transform)
    }
}

extension ImageProcessor where Self == CircleProcessor {
    /// Returns a processor that crops to the largest centered circle.
    /// - Parameter border: A border along the edge.
    public static func circle(border: ImageBorder? = nil) -> Self { Self(border: border) }
}

extension ImageProcessor where Self == TintProcessor {
    /// Returns a processor that tints the image.
    public static func tint(_ color: PixelColor, mode: TintProcessor.Mode = .overlay) -> Self {
        Self(color, mode: mode)
    }
}

extension ImageProcessor where Self == CropProcessor {
    /// Returns a processor that crops to an area.
    public static func crop(_ area: PixelArea) -> Self { Self(area) }
}

/// Processes images with a closure.
public struct ClosureProcessor: ImageProcessor {
    /// The identifier of the processor. It is part of the cache key.
    public let identifier: String
    private let transform: @Sendable (Bitmap) throws -> Bitmap

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - identifier: Identifies the closure and all values that it captures. It is part of the cache key: closures with
    ///     the same identifier share results.
    ///   - transform: Returns the same result for the same image at any time and on any thread.
    public init(identifier: String, _ transform: @escaping @Sendable (Bitmap) throws -> Bitmap) {
        self.identifier = identifier
        self.transform = transform
    }

    /// Calls the closure. Rethrows its error.
    public func process(_ bitmap: Bitmap) throws -> Bitmap { try transform(bitmap) }
}
