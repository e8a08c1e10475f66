public import ImageCore

/// Stores images in a different format if that takes fewer bytes.
///
/// Decodes an image, upright and in sRGB, and encodes it again. A lossy encoder discards details. Data stays unchanged
/// if it is not an image, is animated or damaged, or would not become smaller. The metadata of the entry is not changed.
public struct ReencodingTransform: DataCacheTransform {
    private let decoder: any SizedImageDecoder
    private let encoder: @Sendable (Bitmap) -> any ImageEncoder
    private let options: EncodingOptions

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - decoder: Decodes the stored images.
    ///   - options: The options of the encoder.
    ///   - encoder: Returns the encoder for an image, for example with `AdaptiveEncoderChoice.encoder(for:)`.
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
            // The data is not an image, or the encoder does not support the image.
        }
        return entry
    }
}
