public import ImageCore

/// Blurs an image with a Gaussian, in gamma space. The time does not depend on sigma.
///
/// The result is within three levels of the exact one. Pixels at the edge repeat beyond it, so that an opaque
/// image stays opaque. Color is weighted by alpha: the color of transparent pixels has no effect. Needs eight bytes of
/// memory per pixel in addition to the result.
public struct GaussianBlurProcessor: ImageProcessor {
    private let sigma: Double

    /// Creates a processor.
    ///
    /// - Parameter sigma: The standard deviation in pixels. Clamped to 0...1,000; NaN counts as 0.
    public init(sigma: Double) { self.sigma = sigma > 0 ? min(sigma, 1_000) : 0 }

    public var identifier: String { "gaussianBlur(\(sigma))" }

    public func process(_ bitmap: Bitmap) -> Bitmap {
        if sigma == 0 || bitmap.size.area == 0 { return bitmap }
        var image = BlurredImage(bitmap, filter: GaussianFilter(sigma: sigma))
        return image.bitmap()
    }
}
