import ImageCodecAVIF
import ImageCodecHEIF
import ImageCodecJXL
public import ImageCore
import ImageLoaderKit

#if !canImport(ImageIO)
    import ImageCodecWebP
#endif

extension [any ImageDecoder] {
    /// The decoders of all formats in this build.
    public static var all: [any ImageDecoder] {
        var decoders = standard
        #if AVIF
            decoders.append(AVIFDecoder())
        #endif
        #if HEIF
            decoders.append(HEIFDecoder())
        #endif
        #if JXL
            decoders.append(JXLDecoder())
        #endif
        return decoders
    }
}

extension [any ImageEncoder] {
    /// The encoders of all formats in this build.
    public static var all: [any ImageEncoder] { all(colorProfile: nil) }

    /// The encoders of all formats in this build.
    ///
    /// - Parameter colorProfile: The ICC profile that AVIF, HEIF and JPEG XL files get; nil for the color space of the
    ///   image.
    public static func all(colorProfile: Data?) -> [any ImageEncoder] {
        var encoders = standard
        #if AVIF
            encoders.append(AVIFEncoder(colorProfile: colorProfile))
        #endif
        #if HEIF
            encoders.append(HEIFEncoder(colorProfile: colorProfile))
        #endif
        #if JXL
            encoders.append(JXLEncoder(colorProfile: colorProfile))
        #endif
        return encoders
    }
}

extension [any ImageEncoder] {
    /// The encoder of the smallest lossless files of a format, or nil if there is none.
    public static func smallest(for format: ImageFormat) -> (any ImageEncoder)? {
        #if !canImport(ImageIO)
            if format == .webP { return WebPEncoder(effort: 6) }
        #endif
        return all.encoder(for: format)
    }
}
