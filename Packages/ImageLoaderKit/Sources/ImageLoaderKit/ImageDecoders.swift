public import ImageCore
public import ImageDecoding

/// Creates decoders for use without a loader.
public enum ImageDecoders {
    /// Creates a decoder that recognizes the format and decodes to the requested size and color space.
    ///
    /// On Apple's platforms, ImageIO applies profiles. If you add other decoders there, create a `DownsamplingDecoder`
    /// with a color converter instead, such as that of `ImageColorManagement`.
    ///
    /// - Parameters:
    ///   - decoders: The formats, in the order in which they are tried. By default those of the platform.
    ///   - limits: Checked before memory is allocated.
    ///   - idleByteLimit: The size, in bytes, of released pixel memory that is kept for new images.
    public static func makeDecoder(
        _ decoders: [any ImageDecoder] = .standard, limits: DecodingLimits = .default, idleByteLimit: Int = 16_000_000
    ) -> DownsamplingDecoder {
        let pool = PixelBufferPool(byteLimit: idleByteLimit)
        return DownsamplingDecoder(
            decoders: decoders.map { $0.using(pool) },
            colorConverter: PlatformCodecs.colorConverter, limits: limits, pool: pool)
    }
}

extension [any ImageDecoder] {
    /// The decoders of the platform: of JPEG, PNG, WebP and GIF on Linux, and of all formats that ImageIO reads on
    /// Apple's platforms, such as HEIC and AVIF. Other modules have more: `.standard + [AVIFDecoder()]`.
    public static var standard: [any ImageDecoder] { PlatformCodecs.decoders }
}

extension [any ImageEncoder] {
    /// The encoders of the platform: of JPEG, PNG, WebP and GIF on Linux, and of all formats that ImageIO writes on
    /// Apple's platforms, which WebP is not one of.
    public static var standard: [any ImageEncoder] { PlatformCodecs.encoders }
}

/// Creates encoders for use without a loader.
public enum ImageEncoders {
    /// Returns the encoder for a format, or nil if there is none.
    ///
    /// - Parameters:
    ///   - format: The format of the file.
    ///   - encoders: The available encoders. By default those of the platform.
    public static func encoder(
        for format: ImageFormat, in encoders: [any ImageEncoder] = .standard
    ) -> (any ImageEncoder)? {
        encoders.first { $0.format == format }
    }

    /// Chooses PNG for drawings. For photographs and transparent images, chooses AVIF or else JPEG XL, if they are
    /// available, and otherwise JPEG and PNG.
    ///
    /// - Parameter encoders: The available encoders. By default those of the platform.
    public static func adaptiveChoice(among encoders: [any ImageEncoder] = .standard) -> AdaptiveEncoderChoice {
        let modern = encoder(for: .avif, in: encoders) ?? encoder(for: .jpegXL, in: encoders)
        let png = encoder(for: .png, in: encoders) ?? PlatformCodecs.encoder(.png)
        let jpeg = encoder(for: .jpeg, in: encoders) ?? PlatformCodecs.encoder(.jpeg)
        return AdaptiveEncoderChoice(transparent: modern ?? png, photograph: modern ?? jpeg, drawing: png)
    }
}

/// The format in which the disk cache stores images.
///
/// Images that can't be encoded or would not become smaller are stored as received. Others lose metadata, colors
/// outside of Display P3 (in GIF: of sRGB), and more than 8 bits per channel. See `ReencodingTransform`.
public enum DiskEncoding: Hashable, Sendable {
    /// The format in which they were received.
    case original
    /// A fixed format, with a quality from 0 to 1 if it is lossy.
    case format(ImageFormat, quality: Double = 0.85)
    /// A format that fits the image, as chosen by ``ImageEncoders/adaptiveChoice(among:)``, with a quality from 0 to 1.
    case adaptive(quality: Double = 0.85)

    /// Creates the transform for a disk cache. Returns nil for `.original` and for formats without an encoder.
    ///
    /// - Parameters:
    ///   - decodingLimits: Images above these limits are stored as received.
    ///   - decoders: The formats that are re-encoded. Images in other formats are stored as received.
    ///   - encoders: The encoders from which one is chosen.
    public func makeTransform(
        decodingLimits: DecodingLimits = .default, decoders: [any ImageDecoder] = .standard,
        encoders: [any ImageEncoder] = .standard
    ) -> ReencodingTransform? {
        let decoder = ImageDecoders.makeDecoder(decoders, limits: decodingLimits)
        switch self {
        case .original: return nil
        case .format(let format, let quality):
            guard let encoder = ImageEncoders.encoder(for: format, in: encoders) else { return nil }
            return ReencodingTransform(decoder: decoder, options: EncodingOptions(quality: quality)) { _ in encoder }
        case .adaptive(let quality):
            let choice = ImageEncoders.adaptiveChoice(among: encoders)
            return ReencodingTransform(decoder: decoder, options: EncodingOptions(quality: quality)) {
                choice.encoder(for: $0)
            }
        }
    }
}
