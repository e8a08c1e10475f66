#if JXL
    import ImageCodecJXL
    import ImageContractTesting
    import ImageCore
    import ImageTesting
    import TestJXL
    import Testing

    @Suite("JPEG XL: the contracts of decoders and encoders")
    struct JXLContractTests {
        @Test("the decoder passes", arguments: ImageDecoderContract.rules)
        func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
            try await rule.check(
                .init(JXLDecoder(), samples: ImageDecoderContract.Sample.all(by: JXLEncoder(effort: 3))))
        }

        @Test("the incremental decoder passes", arguments: IncrementalImageDecoderContract.rules)
        func incremental(_ rule: ContractRule<IncrementalImageDecoderContract.Subject>) async throws {
            // Several groups, because an image of one group is shown when it is complete.
            let size = PixelSize(width: 21, height: 600)
            let samples = try [true, false].flatMap { isOpaque in
                try [false, true].map { isLossless in
                    let options = EncodingOptions(isLossless: isLossless)
                    let bitmap = Bitmap.striped(size, isOpaque: isOpaque)
                    return ImageDecoderContract.Sample(
                        "\(isOpaque ? "opaque" : "alpha"), \(isLossless ? "lossless" : "lossy")",
                        try JXLEncoder(effort: 3).encode(bitmap, options: options), storedSize: size)
                }
            }
            var progressive = TestJXL(size)
            progressive.isLossless = false
            progressive.progression = 1
            let data = try progressive.file(Bitmap.striped(size, isOpaque: true).packed().packedPixels ?? [])
            let several = ImageDecoderContract.Sample("progressive", data, storedSize: size)
            try await rule.check(.init(JXLDecoder(), samples: samples + [several]))
        }

        @Test("the encoder passes", arguments: ImageEncoderContract.rules)
        func encoder(_ rule: ContractRule<ImageEncoderContract.Subject>) async throws {
            try await rule.check(
                .init(
                    JXLEncoder(effort: 3), decoder: JXLDecoder(), isLossless: true, supportsAlpha: true,
                    supportsAnimation: true, largestSide: 262_144))
        }
    }

    extension Bitmap {
        /// Returns a gradient with edges, at any size.
        fileprivate static func striped(_ size: PixelSize, isOpaque: Bool) -> Bitmap {
            var pixels: [UInt8] = []
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let edge: UInt8 = (x + y) % 24 < 12 ? 200 : 40
                    pixels += [UInt8(x * 5 & 255), UInt8(y & 255), edge, isOpaque ? 255 : UInt8(255 - (x * 7 & 127))]
                }
            }
            return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
        }
    }
#endif
