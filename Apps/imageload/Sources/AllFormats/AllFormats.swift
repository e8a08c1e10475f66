import ImageCodecAVIF
import ImageCodecHEIF
import ImageCodecJXL
public import ImageCore
import ImageLoaderKit

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
    public static var all: [any ImageEncoder] {
        var encoders = standard
        #if AVIF
            encoders.append(AVIFEncoder())
        #endif
        #if HEIF
            encoders.append(HEIFEncoder())
        #endif
        #if JXL
            encoders.append(JXLEncoder())
        #endif
        return encoders
    }
}
