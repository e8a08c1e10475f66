#if HEIF
    import Foundation
    import GeneratedImages
    import ImageCodecHEIF
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("HEIF: the encoder")
    struct HEIFEncoderTests {

        @Test("a lossy file is close to the image, and higher quality is closer")
        func lossy() throws {
            let source = Scene.bitmap(320, 200)
            let ratios = try [0.3, 0.6, 0.95].map { quality in
                let file = try HEIFEncoder().encode(source, options: EncodingOptions(quality: quality))
                return try heif.pixels(file).signalToNoise(to: source.pixels)
            }
            #expect(ratios[0] < ratios[1] && ratios[1] < ratios[2], "\(ratios)")
            #expect(ratios[0] > 24 && ratios[2] > 34, "\(ratios)")
        }
    }
#endif
