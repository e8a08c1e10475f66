public import ImageCore

/// Cuts out the part of an image that attracts attention: with edges, skin and saturated colors, as libvips'
/// `attention` does.
public struct AttentionCropProcessor: ImageProcessor {
    private let size: PixelSize

    /// Creates a processor.
    ///
    /// - Parameter size: The size of the part in pixels. A side that is longer than that of the image is that of the image.
    public init(size: PixelSize) { self.size = size }

    public var identifier: String { "attention(\(size))" }

    /// Returns the part. Throws `CropError.outside` if it has no pixel, and `CancellationError`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap { try crop(for: bitmap).process(bitmap) }

    /// Returns the crop of an image, with which you can cut the other frames of an animation alike.
    ///
    /// - Throws: `CropError.outside` if the image or the part has no pixel, and `CancellationError`.
    public func crop(for bitmap: Bitmap) throws -> CropProcessor {
        let part = PixelSize(width: min(size.width, bitmap.size.width), height: min(size.height, bitmap.size.height))
        guard part.width > 0, part.height > 0 else { throw CropError.outside(bitmap.size) }
        let origin = try AttentionMap(bitmap).origin(of: part, in: bitmap.size)
        return CropProcessor(PixelArea(left: origin.x, top: origin.y, size: part))
    }
}
