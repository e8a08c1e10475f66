public import ImageCore

/// Removes the alpha of opaque images, off the main actor. GTK draws such images fastest, and they take a quarter less of the memory cache.
///
/// ```swift
/// request.processors.append(PackedPixels())
/// ```
public struct PackedPixels: ImageProcessor {
    public init() {}

    public var identifier: String { "packed" }

    public func process(_ bitmap: Bitmap) -> Bitmap { bitmap.packed() }
}
