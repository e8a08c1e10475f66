/// A step that turns one picture into another.
///
/// Deterministic: the same picture and the same processor give the same result, because `identifier` is part of the key
/// under which the result is cached.
public protocol ImageProcessor: Sendable {
    /// Names the step and all its parameters: `"blur(8)"`.
    var identifier: String { get }

    func process(_ bitmap: Bitmap) throws -> Bitmap
}
