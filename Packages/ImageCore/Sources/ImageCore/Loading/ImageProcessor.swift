/// Transforms a decoded image.
///
/// The same image and processor must give the same result, because `identifier` is part of the key under which the
/// result is cached. Images have straight alpha; the color of a pixel with alpha 0 is arbitrary, and so is the alpha of an
/// image that is marked as opaque.
public protocol ImageProcessor: Sendable {
    /// The name with all parameters, for example `"blur(8)"`.
    var identifier: String { get }

    /// Returns the transformed image, in the color space of `bitmap`. Called on any thread.
    ///
    /// Work of more than a few milliseconds should throw `CancellationError` soon after the current task is cancelled.
    func process(_ bitmap: Bitmap) throws -> Bitmap
}
