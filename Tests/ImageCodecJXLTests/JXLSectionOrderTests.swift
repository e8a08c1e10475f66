#if JXL
    import Foundation
    import ImageCodecJXL
    import ImageCore
    import TestJXL
    import Testing

    /// Tests images whose low frequencies are stored last, as libjxl 0.10 and later do above 2,048 pixels.
    @Suite("JPEG XL with reordered sections")
    struct JXLSectionOrderTests {
        private static let size = PixelSize(width: 1100, height: 1000)

        /// Returns an image of 20 groups in both orders.
        private static func files(isLossless: Bool, channels: Int = 3) throws -> (ordered: Data, reordered: Data) {
            var coding = TestJXL(size, channels: channels)
            coding.isLossless = isLossless
            let ordered = try coding.file(JXLSamples.bytes(size, channels: channels))
            let candidates = TestJXL.storingLowFrequenciesLate(of: 23, in: ordered)
            return (ordered, try #require(candidates.first { JXLReading.rows($0).failure == nil }))
        }

        @Test("the image is decoded", arguments: [false, true], [1, 3, 4])
        func whole(isLossless: Bool, channels: Int) throws {
            let files = try Self.files(isLossless: isLossless, channels: channels)
            #expect(files.ordered != files.reordered)
            let expected = try JXLReading.pixels(files.ordered)
            #expect(JXLSamples.difference(try JXLReading.pixels(files.reordered), expected) == 0)
        }

        @Test("the image is decoded again, and from the parts of a container")
        func again() throws {
            let files = try Self.files(isLossless: false)
            let expected = try JXLReading.pixels(files.ordered)
            let container = TestJXL.container(TestJXL.parts(of: files.reordered, length: 5000))
            let image = try JXLReading.open(container)
            for _ in 0..<2 { #expect(JXLSamples.difference(try JXLReading.pixels(image), expected) == 0) }
        }

        @Test("a truncated file is truncated", arguments: [false, true])
        func truncated(isLossless: Bool) throws {
            let data = try Self.files(isLossless: isLossless).reordered
            for count in stride(from: 0, to: data.count, by: data.count / 16) + [data.count - 1] {
                let (rows, failure) = JXLReading.rows(data.prefix(count))
                #expect(failure == .truncated(.jxl))
                // Without the low frequencies nothing can be shown.
                #expect(rows.isEmpty || rows.count == Self.size.height && count > data.count * 3 / 4)
            }
        }

        @Test("while bytes arrive there is a header but no preview and no error", arguments: [64, 1000])
        func arriving(length: Int) throws {
            let data = try Self.files(isLossless: false).reordered
            let image = JXLDecoder().makeIncrementalImage(limits: .default)
            for start in stride(from: 0, to: data.count, by: length) {
                let isNew = image.header == nil
                try image.append(data.dropFirst(start).prefix(length))
                if isNew, image.header != nil { try image.start(size: Self.size, layout: .rgba8) }
                #expect(image.extent == .nothing)
            }
            #expect(image.header?.storedSize == Self.size)
        }

        @Test("a still image with a frame of low frequencies is decoded, whatever the order of its sections")
        func lowFrequencyFrame() throws {
            var coding = TestJXL(PixelSize(width: 2304, height: 560))
            coding.isLossless = false
            coding.progression = 2
            let samples = JXLSamples.bytes(coding.size, channels: 3)
            let expected = try JXLReading.pixels(coding.file(samples))
            coding.storesCenterFirst = true
            let difference = JXLSamples.difference(try JXLReading.pixels(coding.file(samples)), expected)
            #expect(difference == 0)
        }

        @Test("a damaged order is an error")
        func damaged() throws {
            let data = try Self.files(isLossless: false).reordered
            var malformed = 0
            for index in 7..<40 {
                for bit in 0..<8 {
                    var damaged = data
                    damaged[index] ^= 1 << UInt8(bit)
                    let failure = JXLReading.rows(damaged, limits: DecodingLimits(decodedBytes: 1 << 26)).failure
                    if case .malformed = failure { malformed += 1 }
                }
            }
            #expect(malformed > 20)
        }
    }
#endif
