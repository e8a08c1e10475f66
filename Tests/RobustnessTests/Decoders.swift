import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageCore

/// The decoders under test.
enum Decoders {
    static let all: [any ImageDecoder] = [JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder()]

    static func decoder(of format: ImageFormat) -> (any ImageDecoder)? { all.first { $0.format == format } }
}
