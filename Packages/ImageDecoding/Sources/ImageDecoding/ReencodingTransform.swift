public import ImageCore

/// Keeps images in another format than they came in, where that takes fewer bytes.
///
/// An image is decoded upright and into sRGB, and encoded anew; what a lossy encoder gives up is gone. What is no image, is
/// animated, damaged, or would not become smaller is kept as it came. Metadata is kept as it came in any case.
public struct ReencodingTransform: DataCacheTransform {
    private let decoder: any SizedImageDecoder
    private let encoder: @Sendable (Bitmap) -> any ImageEncoder
    private let options: EncodingOptions

    /// - Parameter encoder: chooses by the image; `AdaptiveEncoderChoice.encoder(for:)`, or always the same.
    public init(
        decoder: any SizedImageDecoder, options: EncodingOptions = EncodingOptions(),
        encoder: @escaping @Sendable (Bitmap) -> any ImageEncoder
    ) {
        self.decoder = decoder
        self.options = options
        self.encoder = encoder
    }

    public func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        var entry = entry
        do {
            guard try decoder.header(of: entry.data).frameCount == 1 else { return entry }
            let bitmap = try decoder.decode(entry.data, request: DecodingRequest()) { false }.bitmap
            let data = try encoder(bitmap).encode(bitmap, options: options)
            if data.count < entry.data.count { entry.data = data }
        } catch {
            // No image, or one that only its own format can hold.
        }
        return entry
    }
}
