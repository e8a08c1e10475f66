import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageColorManagement
public import ImageCore
public import ImageDecoding
import ImageProcessing

/// The decoder of this package's codecs, on its own: for whoever has bytes and wants an image, without a loader.
public enum ImageDecoders {
    /// Decodes JPEG, PNG, WebP and GIF, straight to size, into sRGB.
    ///
    /// - Parameter idleByteLimit: how many bytes of the memory of images that are gone are kept for new ones.
    public static func makeDecoder(
        limits: DecodingLimits = .default, idleByteLimit: Int = 16 << 20
    ) -> DownsamplingDecoder {
        let pool = PixelBufferPool(byteLimit: idleByteLimit)
        return DownsamplingDecoder(
            decoders: [JPEGDecoder(), PNGDecoder(), WebPDecoder(pool: pool), GIFDecoder()],
            resampler: LanczosRowResampler(), colorConverter: LittleCMSColorConverter(), limits: limits, pool: pool)
    }
}

/// The encoders of this package's codecs.
public enum ImageEncoders {
    /// The encoder for a format, or nil when there is none.
    public static func encoder(for format: ImageFormat) -> (any ImageEncoder)? {
        let encoders: [any ImageEncoder] = [JPEGEncoder(), PNGEncoder(), WebPEncoder(), GIFEncoder()]
        return encoders.first { $0.format == format }
    }

    /// JPEG for photographs, PNG for drawings and for transparency.
    public static var adaptiveChoice: AdaptiveEncoderChoice {
        AdaptiveEncoderChoice(transparent: PNGEncoder(), photograph: JPEGEncoder())
    }
}

/// In which format the disk cache keeps images. Whatever does not become smaller, and animations, stay as they came.
public enum DiskEncoding: Hashable, Sendable {
    /// As they came.
    case original
    /// Always the same format, with a quality from 0 to 1 where it is lossy.
    case format(ImageFormat, quality: Double = 0.85)
    /// JPEG for photographs, PNG for drawings and for transparency.
    case adaptive(quality: Double = 0.85)

    /// Nil for `original`, and for formats that there is no encoder for.
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
