#if HEIF
    import Foundation
    import GeneratedImages
    import ImageCodecHEIF
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("HEIF: the encoder")
    struct HEIFEncoderTests {
        @Test(
            "a lossless file restores every byte", arguments: [(1, 1), (2, 3), (17, 11), (64, 64), (65, 129), (300, 7)])
        func lossless(width: Int, height: Int) throws {
            for hasAlpha in [false, true] {
                let source = Bitmap.scene(width, height, hasAlpha: hasAlpha)
                let file = try HEIFEncoder().encode(source, options: EncodingOptions(isLossless: true))
                let image = try HEIFReading.open(file)
                #expect(image.header.storedSize == source.size && image.header.hasAlpha == !source.isOpaque)
                #expect(image.header.colorCalibration == nil)
                #expect(try HEIFReading.pixels(image) == source.pixels)
            }
        }

        @Test("a lossy file is close to the image, and higher quality is closer")
        func lossy() throws {
            let source = Bitmap.scene(320, 200)
            let ratios = try [0.3, 0.6, 0.95].map { quality in
                let file = try HEIFEncoder().encode(source, options: EncodingOptions(quality: quality))
                return try peakSignalToNoise(source.pixels, HEIFReading.pixels(HEIFReading.open(file)))
            }
            #expect(ratios[0] < ratios[1] && ratios[1] < ratios[2], "\(ratios)")
            #expect(ratios[0] > 24 && ratios[2] > 34, "\(ratios)")
        }

        @Test("sizes beyond the format and animations are refused")
        func refusals() throws {
            let wide = Bitmap(
                size: PixelSize(width: 16_385, height: 1), pixels: [UInt8](repeating: 255, count: 16_385 * 4),
                isOpaque: true)
            #expect(throws: EncodingFailure.unsupportedSize(.heic, wide.size)) {
                try HEIFEncoder().encode(wide, options: EncodingOptions())
            }
            let frame = AnimationFrame(bitmap: .scene(8, 8), delay: .seconds(1))
            #expect(throws: EncodingFailure.animationUnsupported(.heic)) {
                try HEIFEncoder().encode([frame], loopCount: 0, options: EncodingOptions())
            }
        }

        private func peakSignalToNoise(_ first: [UInt8], _ second: [UInt8]) -> Double {
            let squares = zip(first, second).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
            return 10 * log10(255 * 255 * Double(first.count) / max(squares, 1e-9))
        }
    }
#endif
