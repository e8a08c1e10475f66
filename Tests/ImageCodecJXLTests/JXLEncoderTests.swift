#if JXL
    import Foundation
    import GeneratedImages
    import ImageCodecJXL
    import ImageCore
    import TestProfiles
    import Testing

    @Suite("Encoding JPEG XL")
    struct JXLEncoderTests {

        @Test("higher quality gives larger files that are closer to the image")
        func quality() throws {
            let bitmap = JXLSamples.bitmap(PixelSize(width: 200, height: 150))
            var last = (count: 0, psnr: 0.0)
            for (quality, minimum) in [(0.1, 15.0), (0.5, 19.0), (0.85, 24.0), (1.0, 36.0)] {
                let data = try JXLEncoder(effort: 3).encode(bitmap, options: EncodingOptions(quality: quality))
                let psnr = try jxl.pixels(data).signalToNoise(to: bitmap.pixels)
                #expect(psnr > minimum && psnr > last.psnr && data.count > last.count, "\(quality): \(psnr) dB")
                last = (data.count, psnr)
            }
        }

        @Test("lossy encoding keeps alpha within a few levels")
        func lossyAlpha() throws {
            let bitmap = JXLSamples.bitmap(hasAlpha: true)
            let image = try jxl.open(JXLEncoder().encode(bitmap, options: EncodingOptions()))
            #expect(image.header.hasAlpha)
            let pixels = try jxl.pixels(image)
            let differences = stride(from: 3, to: pixels.count, by: 4).map {
                abs(Int(pixels[$0]) - Int(bitmap.pixels[$0]))
            }
            #expect(differences.max() ?? 255 <= 12)
        }

        @Test("the orientation and the profile are stored, and the pixels don't change")
        func metadata() throws {
            let profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: 2.2)
            let encoder = JXLEncoder(effort: 3, orientation: .left, colorProfile: profile)
            let image = try jxl.open(
                try encoder.encode(JXLSamples.bitmap(), options: EncodingOptions(isLossless: true)))
            #expect(image.header.orientation == .left)
            #expect(image.header.colorProfile == profile)
            #expect(try jxl.pixels(image).largestDifference(to: JXLSamples.bitmap().pixels) == 0)
        }

        @Test("an invalid profile is an error")
        func invalidProfile() {
            let encoder = JXLEncoder(colorProfile: Data("not a profile".utf8))
            #expect(throws: EncodingFailure.failed(.jxl, "libjxl could not start the file")) {
                try encoder.encode(JXLSamples.bitmap(), options: EncodingOptions())
            }
        }
    }
#endif
