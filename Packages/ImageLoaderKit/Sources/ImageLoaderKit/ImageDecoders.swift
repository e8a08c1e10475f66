import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageColorManagement
public import ImageCore
public import ImageDecoding
import ImageProcessing

/// Creates decoders for use without a loader.
public enum ImageDecoders {
    /// Creates a decoder for JPEG, PNG, WebP and GIF. It decodes to the requested size and converts to sRGB.
    ///
    /// - Parameters:
    ///   - limits: Checked before memory is allocated.
    ///   - idleByteLimit: The size, in bytes, of released pixel memory that is kept for new images.
    public static func makeDecoder(
        limits: DecodingLimits = .default, idleByteLimit: Int = 16 << 20
    ) -> DownsamplingDecoder {
        let pool = PixelBufferPool(byteLimit: idleByteLimit)
        return DownsamplingDecoder(
            decoders: [JPEGDecoder(), PNGDecoder(), WebPDecoder(pool: pool), GIFDecoder()],
            resampler: LanczosRowResampler(), colorConverter: LittleCMSColorConverter(), limits: limits, pool: pool)
    }
}

/// Creates encoders for use without a loader.
public enum ImageEncoders {
    /// Returns the encoder for a format, or nil if there is none.
    public static func encoder(for format: ImageFormat) -> (any ImageEncoder)? {
        let encoders: [any ImageEncoder] = [JPEGEncoder(), PNGEncoder(), WebPEncoder(), GIFEncoder()]
        return encoders.first { $0.format == format }
    }

    /// Chooses JPEG for photographs, and PNG for drawings and transparent images.
    public static var adaptiveChoice: AdaptiveEncoderChoice {
        AdaptiveEncoderChoice(transparent: PNGEncoder(), photograph: JPEGEncoder())
    }
}

/// The format in which the disk cache stores images. Animations, and images that would not become smaller, are stored
/// as received.
public enum DiskEncoding: Hashable, Sendable {
    /// The format in which they were received.
    case original
    /// A fixed format, with a quality from 0 to 1 if it is lossy.
    case format(ImageFormat, quality: Double = 0.85)
    /// JPEG for photographs, and PNG for drawings and transparent images, with a JPEG quality from 0 to 1.
    case adaptive(quality: Double = 0.85)

    /// Creates the transform for a disk cache. Returns nil for `.original` and for formats without an encoder.
    public func makeTransform(decodingLimits: DecodingLimits = .default) -> ReencodingTransform? {
        let decoder = ImageDecoders.makeDecoder(limits: decodingLimits)
        switch self {
        case .original: return nil
        case .format(let format, let quality):
            guard let encoder = ImageEncoders.encoder(for: format) else { return nil }
            return ReencodingTransform(decoder: decoder, options: EncodingOptions(quality: quality)) { _ in encoder }
        case .adaptive(let quality):
            let choice = ImageEncoders.adaptiveChoice
            return ReencodingTransform(decoder: decoder, options: EncodingOptions(quality: quality)) {
                choice.encoder(for: $0)
            }
        }
    }
}
