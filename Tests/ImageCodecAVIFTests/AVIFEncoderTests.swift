#if AVIF
    import Foundation
    import GeneratedImages
    import ImageCodecAVIF
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("Encoding AVIF")
    struct AVIFEncoderTests {

        @Test("better quality gives larger files that are closer to the image, and alpha is exact")
        func quality() throws {
            let bitmap = Scene.bitmap(128, 96, hasAlpha: true)
            var last = (count: 0, ratio: 20.0)
            for quality in [0.2, 0.6, 0.95] {
                let data = try AVIFEncoder(speed: 9).encode(bitmap, options: .init(quality: quality))
                let pixels = try avif.pixels(try avif.open(data))
                let ratio = pixels.signalToNoise(to: bitmap.pixels)
                #expect(data.count > last.count && ratio > last.ratio, "\(quality): \(data.count) bytes, \(ratio) dB")
                last = (data.count, ratio)
                let alphas = stride(from: 3, to: pixels.count, by: 4)
                #expect(alphas.allSatisfy { pixels[$0] == bitmap.pixels[$0] })
            }
            #expect(last.ratio > 38)
        }

        @Test("the orientation and the profile are stored", arguments: ImageOrientation.allCases)
        func orientation(orientation: ImageOrientation) throws {
            let profile = Data((0..<77).map { UInt8($0) })
            let encoder = AVIFEncoder(speed: 10, orientation: orientation, colorProfile: profile)
            let bitmap = Scene.bitmap(8, 5)
            let opened = try avif.open(try encoder.encode(bitmap, options: .init(isLossless: true)))
            #expect(opened.header.orientation == orientation && opened.header.colorProfile == profile)
            #expect(try avif.pixels(opened) == bitmap.pixels)
        }

    }
#endif
