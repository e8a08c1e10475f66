/// A step that turns one image into another.
///
/// Deterministic: the same image and the same processor give the same result, because `identifier` is part of the key
/// under which the result is cached. Images come and go with straight alpha, and the colour of a pixel without alpha
/// makes no difference to what is seen.
public protocol ImageProcessor: Sendable {
    /// Names the step and all its parameters: `"blur(8)"`.
    var identifier: String { get }

    func process(_ bitmap: Bitmap) throws -> Bitmap
}
