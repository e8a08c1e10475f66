#if TIFF
    import Foundation
    import ImageCodecTIFF
    import ImageContractTesting
    import ImageCore
    import Testing

    @Suite("TIFF: the contract of decoders")
    struct TIFFContractTests {
        @Test("the decoder passes", arguments: ImageDecoderContract.rules)
        func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
            try await rule.check(
                .init(TIFFDecoder(), samples: [Self.sample(hasAlpha: false), Self.sample(hasAlpha: true)]))
        }

        /// Returns a gray image in one strip after its directory.
        private static func sample(hasAlpha: Bool) -> ImageDecoderContract.Sample {
            let size = PixelSize(width: 9, height: 30)
            let (channels, gray) = (hasAlpha ? 2 : 1, (0..<size.area).map { UInt8(truncatingIfNeeded: $0 * 7) })
            var tags = [
                (256, size.width), (257, size.height), (258, 8), (259, 1), (262, 1), (273, 0), (277, channels),
                (278, size.height), (279, size.area * channels),
            ]
            if hasAlpha { tags += [(338, 2)] }
            let start = 8 + 2 + tags.count * 12 + 4
            tags[5].1 = start
            var file = Data([0x49, 0x49, 42, 0, 8, 0, 0, 0, UInt8(tags.count), 0])
            for (tag, value) in tags {
                // Two bytes are enough for each value. Bits per sample of both channels fit into the entry.
                let count = tag == 258 ? channels : 1
                file += [UInt8(tag & 255), UInt8(tag >> 8), 3, 0, UInt8(count), 0, 0, 0]
                file += [UInt8(value & 255), UInt8(value >> 8), count == 2 ? 8 : 0, 0]
            }
            file += Data(count: 4)
            var pixels: [UInt8] = []
            for level in gray {
                file += hasAlpha ? [level, 255 - level] : [level]
                pixels += [level, level, level, hasAlpha ? 255 - level : 255]
            }
            return ImageDecoderContract.Sample(
                hasAlpha ? "alpha" : "gray", file, storedSize: size, pixels: pixels)
        }
    }
#endif
