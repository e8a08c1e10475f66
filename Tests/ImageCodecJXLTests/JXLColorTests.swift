#if JXL
    import Foundation
    import GeneratedImages
    import ImageCodecJXL
    import ImageCore
    import TestJXL
    import TestProfiles
    import Testing

    @Suite("Color of JPEG XL")
    struct JXLColorTests {
        private static func header(_ change: (inout TestJXL) -> Void, channels: Int = 3) throws -> ImageHeader {
            var coding = TestJXL(JXLSamples.size, channels: channels)
            change(&coding)
            return try jxl.open(coding.file(JXLSamples.bytes(channels: channels))).header
        }

        @Test("sRGB is recognized, lossless and lossy", arguments: [false, true], [1, 3])
        func srgb(isLossless: Bool, channels: Int) throws {
            let header = try Self.header({ $0.isLossless = isLossless }, channels: channels)
            #expect(header.color == .sRGB)
        }

        @Test("stored primaries are those of a lossless image")
        func displayP3() throws {
            let color = try Self.header { $0.primaries = 11 }.color
            #expect(color.transfer == .sRGB && color.primaries.isClose(to: .displayP3, within: 0.001))
        }

        @Test("stored transfer functions are those of a lossless image")
        func transfers() throws {
            #expect(try Self.header { $0.transfer = 8 }.color.transfer == .gamma(1))
            #expect(try Self.header { $0.transfer = 17 }.color.transfer == .gamma(2.6))
            #expect(try Self.header { $0.transfer = 1 }.color == .sRGB)
            let header = try Self.header {
                $0.transfer = 65535
                $0.gamma = 1 / 2.2
            }
            guard case .parametric(let gamma, 1, 0, 0, 0) = header.color.transfer else {
                Issue.record("\(header)")
                return
            }
            #expect(abs(gamma - 2.2) < 0.01)
        }

        @Test("a lossy image has its stored primaries and the curve of sRGB", arguments: [0, 11], [0, 8])
        func lossy(primaries: Int, transfer: Int) throws {
            var coding = TestJXL(JXLSamples.size)
            coding.isLossless = false
            coding.primaries = primaries
            coding.transfer = transfer
            let image = try jxl.open(coding.file([UInt8](repeating: 128, count: JXLSamples.size.area * 3)))
            #expect(image.header.color == (primaries == 0 ? .sRGB : SourceColor(primaries: .displayP3)))
            // Linear 128 is 188 in sRGB (IEC 61966-2-1).
            let expected = transfer == 0 ? 128 : 188
            #expect(try jxl.pixels(image).prefix(3).allSatisfy { abs(Int($0) - expected) <= 1 })
        }

        @Test(
            "HDR has 16 bits, lossless and lossy", arguments: [16: TransferFunction.pq, 18: .hlg], [false, true])
        func highDynamicRange(transfer: (key: Int, value: TransferFunction), isLossless: Bool) throws {
            var coding = TestJXL(JXLSamples.size)
            coding.bits = 16
            coding.primaries = 9
            coding.transfer = transfer.key
            coding.isLossless = isLossless
            let samples = (0..<JXLSamples.size.area).flatMap { index in
                [UInt16](repeating: UInt16(20_000 + index % JXLSamples.size.width * 300), count: 3)
            }
            let image = try jxl.open(coding.file(samples))
            #expect(image.header.nativeLayout == .rgba16 && image.header.color.transfer == transfer.value)
            #expect(abs(image.header.color.primaries.red.x - 0.708) < 0.001)
            // libjxl writes 10,000 cd/m² for PQ and 255 for PQ in XYB, which are no information, and 1,000 and 255 for HLG.
            let peak: Double? = transfer.key == 16 ? nil : isLossless ? 1000 : 255
            #expect(image.header.color.peakLuminance == peak)
            let pixels = try jxl.deepPixels(image)
            let errors = samples.indices.map { abs(pixels[$0 / 3 * 4 + $0 % 3] - Int(samples[$0])) }
            #expect((errors.max() ?? .max) <= (isLossless ? 0 : 600))
        }

        @Test("the ICC profile of a lossless image is returned as stored, and lossy images have its primaries")
        func profile() throws {
            let profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: 1.8)
            #expect(try Self.header { $0.profile = profile }.colorProfile == profile)
            let lossy = try Self.header {
                $0.profile = profile
                $0.isLossless = false
            }
            #expect(lossy.color.transfer == .sRGB && lossy.color.primaries.isClose(to: .displayP3, within: 0.001))
        }

        @Test("a lossy image with a profile is converted to sRGB")
        func convertedProfile() throws {
            var coding = TestJXL(JXLSamples.size)
            coding.isLossless = false
            coding.profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.srgbPrimaries, gamma: 1)
            let data = try coding.file([UInt8](repeating: 128, count: JXLSamples.size.area * 3))
            #expect(try jxl.pixels(data).prefix(3).allSatisfy { abs(Int($0) - 188) <= 1 })
        }

        @Test("a gray profile applies to gray rows, with and without alpha", arguments: [1, 2])
        func grayProfile(channels: Int) throws {
            let profile = TestProfile.gray(gamma: 1.8)
            var coding = TestJXL(JXLSamples.size, channels: channels)
            coding.profile = profile
            let values = JXLSamples.values(channels: channels)
            let image = try jxl.open(coding.file(values.map { UInt8($0) }))
            let layout: PixelLayout = channels == 1 ? .gray8 : .grayAlpha8
            #expect(image.header.colorProfile == profile)
            #expect(image.header.nativeLayout == layout)
            #expect(try jxl.pixels(image, layout: layout).largestDifference(to: values.map { UInt8($0) }) == 0)
            #expect(
                try jxl.pixels(image).largestDifference(to: JXLSamples.rgba(values, channels: channels)) == 0)
        }
    }
#endif
