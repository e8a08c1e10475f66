public import ImageCore

/// Stores images in a different format if that takes fewer bytes.
///
/// Decodes an image, upright and in sRGB or Display P3, and encodes it again. Data stays unchanged if
/// - it is not an image, is animated or damaged, or would not become smaller,
/// - it has a gain map, or HDR,
/// - it has alpha and the encoder doesn't keep it, by `ImageEncoder.keepsAlpha`,
/// - the decoder can't read the encoder's files,
/// - or `complete` refuses it.
///
/// What a decoded image doesn't have is lost unless `complete` adds or refuses it: Exif and other metadata, a profile and
/// colors outside of Display P3, more than 8 bits per channel, thumbnails and depth. A lossy encoder also discards
/// details. The metadata of the entry is not changed.
public struct ReencodingTransform: DataCacheTransform {
    private let decoder: any SizedImageDecoder
    private let encoder: @Sendable (Bitmap) -> any ImageEncoder
    private let options: EncodingOptions
    private let complete: @Sendable (_ file: Data, _ source: Data, _ header: ImageHeader) throws -> Data?

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - decoder: Decodes the stored images.
    ///   - options: The options of the encoder.
    ///   - complete: Adds what the decoded image lacks of a source, which has the header, to its encoded file. Returns nil
    ///     or throws to store the source as received. By default, nothing is added.
    ///   - encoder: Returns the encoder for an image, for example with `AdaptiveEncoderChoice.encoder(for:)`.
    public init(
        decoder: any SizedImageDecoder, options: EncodingOptions = EncodingOptions(),
        complete: @escaping @Sendable (_ file: Data, _ source: Data, _ header: ImageHeader) throws -> Data? = {
            file, _, _ in file
        },
        encoder: @escaping @Sendable (Bitmap) -> any ImageEncoder
    ) {
        self.decoder = decoder
        self.options = options
        self.complete = complete
        self.encoder = encoder
    }

    public func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        var entry = entry
        do {
            let header = try decoder.header(of: entry.data)
            guard header.frameCount == 1, !header.hasGainMap, !header.color.isHDR else {
                return entry
            }
            let bitmap = try decoder.decode(entry.data, request: DecodingRequest(color: .automatic)).bitmap
            let encoder = encoder(bitmap)
            guard bitmap.isOpaque || encoder.keepsAlpha else { return entry }
            let file = try encoder.encode(bitmap, options: options)
            guard let data = try complete(file, entry.data, header), data.count < entry.data.count else { return entry }
            if try decoder.header(of: data).size == bitmap.size { entry.data = data }
        } catch {
            // The data is not an image, the encoder does not support the image, or the decoder can't read its files, or
            // they can't be completed.
        }
        return entry
    }
}

/// Selects an encoder by the content of an image: transparent, photograph or drawing.
///
/// An opaque image is a drawing if at least half of its pixels equal their left neighbor. Lossless compression is then
/// smaller than lossy compression, and has no artifacts around edges.
public struct AdaptiveEncoderChoice: Sendable {
    private let transparent: any ImageEncoder
    private let photograph: any ImageEncoder
    private let drawing: any ImageEncoder

    /// Creates a selector.
    ///
    /// - Parameters:
    ///   - transparent: An encoder that preserves alpha, for example PNG, WebP, AVIF or JPEG XL.
    ///   - photograph: An encoder for opaque photographs, for example JPEG, AVIF or lossy WebP.
    ///   - drawing: An encoder for opaque drawings, for example PNG or lossless WebP. The default is `transparent`.
    public init(
        transparent: any ImageEncoder, photograph: any ImageEncoder, drawing: (any ImageEncoder)? = nil
    ) {
        self.transparent = transparent
        self.photograph = photograph
        self.drawing = drawing ?? transparent
    }

    /// Returns the encoder for an image. The result depends on the pixels only. Reads each pixel once.
    public func encoder(for bitmap: Bitmap) -> any ImageEncoder {
        if !bitmap.isOpaque { return transparent }
        return bitmap.isDrawing ? drawing : photograph
    }
}

extension Bitmap {
    fileprivate var isDrawing: Bool {
        let pixels = pixels
        let bytes = pixels.span
        var equal = 0
        for y in 0..<size.height {
            for x in stride(from: y * bytesPerRow + 4, to: (y + 1) * bytesPerRow, by: 4)
            where bytes[x] == bytes[x - 4] && bytes[x + 1] == bytes[x - 3] && bytes[x + 2] == bytes[x - 2] {
                equal += 1
            }
        }
        return equal * 2 >= (size.width - 1) * size.height
    }
}
