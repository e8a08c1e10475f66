import ImageCodecAVIF
import ImageCodecHEIF
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
        return encoders
    }
}
