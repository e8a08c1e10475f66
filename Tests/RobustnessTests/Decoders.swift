import ImageCodecAVIF
import ImageCodecGIF
import ImageCodecHEIF
import ImageCodecJPEG
import ImageCodecJXL
import ImageCodecPNG
import ImageCodecWebP
import ImageCore

/// The decoders under test.
enum Decoders {
    static let all: [any ImageDecoder] = {
        var decoders: [any ImageDecoder] = [JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder()]
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
    }()

    static func decoder(of format: ImageFormat) -> (any ImageDecoder)? { all.first { $0.format == format } }
}
