import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageColorManaging
public import ImageCore
import ImageDecoding
import ImageProcessing

/// The decoder of this package's codecs, on its own: for whoever has bytes and wants a picture, without a loader.
public enum ImageDecoders {
    /// Decodes JPEG, PNG, WebP and GIF, straight to size, into sRGB.
    public static func makeDecoder(limits: DecodingLimits = .default) -> any SizedImageDecoder {
        DownsamplingDecoder(
            decoders: [JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder()], resampler: LanczosRowResampler(),
            colorConverter: LittleCMSColorConverter(), limits: limits)
    }
}

/// The encoders of this package's codecs.
public enum ImageEncoders {
    /// The encoder for a format, or nil when there is none.
    public static func encoder(for format: ImageFormat) -> (any ImageEncoder)? {
        let encoders: [any ImageEncoder] = [JPEGEncoder(), PNGEncoder(), WebPEncoder(), GIFEncoder()]
        return encoders.first { $0.format == format }
    }
}
