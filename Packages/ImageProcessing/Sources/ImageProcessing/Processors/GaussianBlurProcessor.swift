public import ImageCore

/// Blurs an image with a Gaussian, in gamma space. The time does not depend on sigma.
///
/// The result is within half a level of the sampled Gaussian. Pixels at the edge repeat beyond it, so that an opaque
/// image stays opaque. Color is weighted by alpha: the color of transparent pixels has no effect. Needs eight bytes of
/// memory per pixel in addition to the result.
public struct GaussianBlurProcessor: ImageProcessor {
    /// The standard deviation in pixels, from 0 (no blur) to 1,000.
    private let sigma: Double

    /// Creates a processor.
    ///
    /// - Parameter sigma: The standard deviation in pixels. Clamped to 0...1,000; NaN counts as 0.
    public init(sigma: Double) { self.sigma = sigma > 0 ? min(sigma, 1_000) : 0 }

    public var identifier: String { "gaussianBlur(\(sigma))" }

    public func process(_ bitmap: Bitmap) -> Bitmap {
        if sigma == 0 || bitmap.size.area == 0 { return bitmap }
        var image = BlurredImage(bitmap, filter: GaussianFilter.make(sigma: sigma))
        return image.bitmap()
    }
}
