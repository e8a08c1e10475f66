public import ImageCore
public import ImageDecoding
import ImageMetadata

extension DownsamplingDecoder {
    /// Creates a decoder that recognizes the format and decodes to the requested size and color space.
    ///
    /// On Apple's platforms, ImageIO applies profiles. If you add other decoders there, create a `DownsamplingDecoder`
    /// with a color converter instead, such as that of `ImageColorManagement`.
    ///
    /// - Parameters:
    ///   - decoders: The formats, in the order in which they are tried. By default those of the platform.
    ///   - limits: Checked before memory is allocated.
    ///   - idleByteLimit: The size, in bytes, of released pixel memory that is kept for new images.
    public static func standard(
        _ decoders: [any ImageDecoder] = .standard, limits: DecodingLimits = .default, idleByteLimit: Int = 16_000_000
    ) -> DownsamplingDecoder {
        let pool = PixelBufferPool(byteLimit: idleByteLimit)
        return DownsamplingDecoder(
            decoders: decoders.map { ($0 as? any PoolingImageDecoder)?.using(pool) ?? $0 },
            colorConverter: PlatformCodecs.colorConverter, limits: limits, pool: pool)
    }
}

extension [any ImageDecoder] {
    /// The decoders of the platform: of JPEG, PNG, WebP and GIF on Linux, and of all formats that ImageIO reads on
    /// Apple's platforms, such as HEIC and AVIF. With traits, `all` has more.
    public static var standard: [any ImageDecoder] { PlatformCodecs.decoders }
}

extension [any ImageEncoder] {
    /// The encoders of the platform: of JPEG, PNG, WebP and GIF on Linux, and of all formats that ImageIO writes on
    /// Apple's platforms, which WebP is not one of.
    public static var standard: [any ImageEncoder] { PlatformCodecs.encoders }

    /// Returns the encoder for a format, or nil if there is none.
    /// - Parameter format: The format of the file.
    public func encoder(for format: ImageFormat) -> (any ImageEncoder)? { first { $0.format == format } }
}

extension AdaptiveEncoderChoice {
    /// Chooses PNG for drawings. For photographs and transparent images, chooses AVIF or else JPEG XL, if they are
    /// available, and otherwise JPEG and PNG.
    ///
    /// - Parameter encoders: The available encoders. By default those of the platform.
    public static func standard(among encoders: [any ImageEncoder] = .standard) -> AdaptiveEncoderChoice {
        let modern = encoders.encoder(for: .avif) ?? encoders.encoder(for: .jpegXL)
        let png = encoders.encoder(for: .png) ?? PlatformCodecs.encoder(.png)
        let jpeg = encoders.encoder(for: .jpeg) ?? PlatformCodecs.encoder(.jpeg)
        return AdaptiveEncoderChoice(transparent: modern ?? png, photograph: modern ?? jpeg, drawing: png)
    }
}

/// The format in which the disk cache stores images.
///
/// Images that can't be encoded or would not become smaller are stored as received, and so are those with metadata that
/// the format can't hold, more than 8 bits per channel, a gain map, a depth map or content credentials. Others keep Exif,
/// XMP and IPTC, and lose thumbnails and colors outside of Display P3 (in GIF: of sRGB). See `ReencodingTransform`.
public struct DiskEncoding: Hashable, Sendable {
    private enum Choice: Hashable {
        case original, format(ImageFormat), adaptive
    }

    private let choice: Choice
    private let options: EncodingOptions

    /// The format in which they were received.
    public static let original = DiskEncoding(choice: .original, options: EncodingOptions())

    /// Returns a fixed format.
    ///
    /// - Parameters:
    ///   - format: The format. Without an encoder for it, images are stored as received.
    ///   - quality: The quality of lossy formats, from 0 to 1. Other values trap.
    public static func format(_ format: ImageFormat, quality: Double = 0.85) -> DiskEncoding {
        DiskEncoding(choice: .format(format), options: EncodingOptions(quality: quality))
    }

    /// Returns a format that fits the image, as chosen by `AdaptiveEncoderChoice.standard(among:)`.
    /// - Parameter quality: The quality of lossy formats, from 0 to 1. Other values trap.
    public static func adaptive(quality: Double = 0.85) -> DiskEncoding {
        DiskEncoding(choice: .adaptive, options: EncodingOptions(quality: quality))
    }

    /// Creates the transform for a disk cache. Returns nil for `.original` and for formats without an encoder.
    ///
    /// - Parameters:
    ///   - decodingLimits: Images above these limits are stored as received.
    ///   - decoders: The formats that are re-encoded. Images in other formats are stored as received.
    ///   - encoders: The encoders from which one is chosen.
    func makeTransform(
        decodingLimits: DecodingLimits = .default, decoders: [any ImageDecoder] = .standard,
        encoders: [any ImageEncoder] = .standard
    ) -> ReencodingTransform? {
        let decoder = DownsamplingDecoder.standard(decoders, limits: decodingLimits)
        switch choice {
        case .original: return nil
        case .format(let format):
            guard let encoder = encoders.encoder(for: format) else { return nil }
            return ReencodingTransform(decoder: decoder, options: options, complete: Self.complete) { _ in encoder }
        case .adaptive:
            let choice = AdaptiveEncoderChoice.standard(among: encoders)
            return ReencodingTransform(decoder: decoder, options: options, complete: Self.complete) {
                choice.encoder(for: $0)
            }
        }
    }

    /// Returns a file with the metadata of its source. Nil if anything else would be lost: nobody would be told.
    @Sendable private static func complete(
        _ file: Data, _ source: Data, _ header: ImageHeader
    ) throws(ImageDecodingError) -> Data? {
        let contents = ConversionLoss.possible(in: source, header: header)
        guard contents.isDisjoint(with: [.bitDepth, .depthMap, .contentCredentials]) else { return nil }
        let metadata = EmbeddedMetadata(of: source).forUprightImage
        if metadata.blocks.isEmpty { return file }
        let result = try metadata.embedded(in: file)
        return EmbeddedMetadata(of: result).blocks == metadata.blocks ? result : nil
    }
}
