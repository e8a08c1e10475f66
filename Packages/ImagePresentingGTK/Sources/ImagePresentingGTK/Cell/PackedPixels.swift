#if GTK
public import ImageCore

/// Removes the alpha channel of opaque images. GTK draws them faster, and they use a quarter less memory.
///
/// ```swift
/// request.processors.append(PackedPixels())
/// ```
public struct PackedPixels: ImageProcessor {
    /// Creates the processor.
    public init() {}

    /// The identifier in cache keys.
    public var identifier: String { "packed" }

    /// Returns the bitmap without alpha if it is opaque, or else the bitmap itself.
    public func process(_ bitmap: Bitmap) -> Bitmap { bitmap.packed() }
}
#endif
