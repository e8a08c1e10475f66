#if AVIF
    import Foundation
    import ImageCodecAVIF
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("Encoding AVIF")
    struct AVIFEncoderTests {
        @Test(
            "a lossless file preserves every byte, including the color of transparent pixels", arguments: [false, true])
        func lossless(hasAlpha: Bool) throws {
            let bitmap = Bitmap.scene(61, 43, hasAlpha: hasAlpha)
            let opened = try AVIFReading.open(
                try AVIFEncoder(speed: 9).encode(bitmap, options: .init(isLossless: true)))
            #expect(opened.header == ImageHeader(format: .avif, storedSize: bitmap.size, hasAlpha: hasAlpha))
            #expect(try AVIFReading.pixels(opened) == bitmap.pixels)
        }

        /// Returns the peak signal-to-noise ratio of the colors in decibels.
        private static func ratio(_ pixels: [UInt8], to other: [UInt8]) -> Double {
            let squares = pixels.indices.filter { $0 % 4 < 3 }.map { index in
                let difference = Double(pixels[index]) - Double(other[index])
                return difference * difference
            }
            return 10 * log10(255 * 255 / (squares.reduce(0, +) / Double(squares.count)))
        }

        @Test("better quality gives larger files that are closer to the image, and alpha is exact")
        func quality() throws {
            let bitmap = Bitmap.scene(128, 96, hasAlpha: true)
            var last = (count: 0, ratio: 20.0)
            for quality in [0.2, 0.6, 0.95] {
                let data = try AVIFEncoder(speed: 9).encode(bitmap, options: .init(quality: quality))
                let pixels = try AVIFReading.pixels(try AVIFReading.open(data))
                let ratio = Self.ratio(pixels, to: bitmap.pixels)
                #expect(data.count > last.count && ratio > last.ratio, "\(quality): \(data.count) bytes, \(ratio) dB")
                last = (data.count, ratio)
                let alphas = stride(from: 3, to: pixels.count, by: 4)
                #expect(alphas.allSatisfy { pixels[$0] == bitmap.pixels[$0] })
            }
            #expect(last.ratio > 38)
        }

        @Test("the same image gives the same bytes")
        func deterministic() throws {
            let files = try (0..<2).map { _ in try AVIFEncoder(speed: 9).encode(.scene(40, 30), options: .init()) }
            #expect(files[0] == files[1])
        }

        @Test("the orientation and the profile are stored", arguments: ImageOrientation.allCases)
        func orientation(orientation: ImageOrientation) throws {
            let profile = Data((0..<77).map { UInt8($0) })
            let encoder = AVIFEncoder(speed: 10, orientation: orientation, colorProfile: profile)
            let bitmap = Bitmap.scene(8, 5)
            let opened = try AVIFReading.open(try encoder.encode(bitmap, options: .init(isLossless: true)))
            #expect(opened.header.orientation == orientation && opened.header.colorProfile == profile)
            #expect(try AVIFReading.pixels(opened) == bitmap.pixels)
        }

        @Test("a size that AV1 can't represent is refused")
        func size() {
            let size = PixelSize(width: 65_537, height: 1)
            let bitmap = Bitmap(size: size, pixels: Array(repeating: 255, count: 4 * size.area), isOpaque: true)
            #expect(throws: EncodingFailure.unsupportedSize(.avif, size)) {
                try AVIFEncoder().encode(bitmap, options: .init())
            }
        }

        @Test("speeds out of range are clamped")
        func speed() throws {
            let (bitmap, options) = (Bitmap.scene(16, 16), EncodingOptions(isLossless: true))
            for speed in [-1, 11] {
                let data = try AVIFEncoder(speed: speed).encode(bitmap, options: options)
                #expect(try AVIFReading.pixels(try AVIFReading.open(data)) == bitmap.pixels)
            }
        }
    }
#endif
