public import ImageCore

/// Stores images in a different format if that takes fewer bytes.
///
/// Decodes an image, upright and in sRGB, and encodes it again. Data stays unchanged if
/// - it is not an image, is animated or damaged, or would not become smaller,
/// - it has alpha and the encoder doesn't keep it, by `ImageEncoder.keepsAlpha`,
/// - or the decoder can't read the encoder's files.
///
/// What a decoded image doesn't have is lost: Exif and other metadata, a profile and colors outside of sRGB, more than 8
/// bits per channel, thumbnails, gain maps and depth. A lossy encoder also discards details. The metadata of the entry
/// is not changed.
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
            let encoder = encoder(bitmap)
            guard bitmap.isOpaque || encoder.keepsAlpha else { return entry }
            let data = try encoder.encode(bitmap, options: options)
            guard data.count < entry.data.count else { return entry }
            if try decoder.header(of: data).size == bitmap.size { entry.data = data }
        } catch {
            // The data is not an image, the encoder does not support the image, or the decoder can't read its files.
        }
        return entry
    }
}
