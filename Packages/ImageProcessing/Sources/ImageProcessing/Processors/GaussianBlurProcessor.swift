public import ImageCore

/// Blurs an image with a Gaussian, in a time that does not depend on how far.
///
/// Within half a level of the sampled Gaussian itself, in gamma space. Beyond the edges the image counts as going on with
/// the pixels at its edge, so that an opaque one stays opaque. Colour is weighted by alpha: what is transparent does not
/// show. Beside the result it holds eight bytes a pixel.
public struct GaussianBlurProcessor: ImageProcessor {
    /// Standard deviation in pixels, from 0, which changes nothing, to 1,000.
    public let sigma: Double

    /// - Parameter sigma: outside of 0 to 1,000 the nearer of the two; what is no number counts as 0.
    public init(sigma: Double) { self.sigma = sigma > 0 ? min(sigma, 1_000) : 0 }

    public var identifier: String { "gaussianBlur(\(sigma))" }

    public func process(_ bitmap: Bitmap) -> Bitmap {
        if sigma == 0 || bitmap.size.area == 0 { return bitmap }
        var image = BlurredImage(bitmap, filter: GaussianFilter.make(sigma: sigma))
        return image.bitmap()
    }
}
