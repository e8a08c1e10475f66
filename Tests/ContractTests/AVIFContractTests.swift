#if AVIF
    import ImageCodecAVIF
    import ImageContractTesting
    import ImageCore
    import Testing

    @Suite("AVIF: the contracts of decoders and encoders")
    struct AVIFContractTests {
        private static let encoder = AVIFEncoder(speed: 9)

        @Test("the decoder passes", arguments: ImageDecoderContract.rules)
        func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
            let samples = try CodecSample.allCases.flatMap { sample in
                try [false, true].map { isLossless in
                    let data = try sample.encoded(by: Self.encoder, options: .init(isLossless: isLossless))
                    return ImageDecoderContract.Sample(
                        "\(sample), \(isLossless ? "lossless" : "lossy")", data, storedSize: sample.size,
                        frameCount: sample.frameCount)
                }
            }
            try await rule.check(.init(AVIFDecoder(), samples: samples))
        }

        @Test("the encoder passes", arguments: ImageEncoderContract.rules)
        func encoder(_ rule: ContractRule<ImageEncoderContract.Subject>) async throws {
            try await rule.check(
                .init(
                    Self.encoder, decoder: AVIFDecoder(), isLossless: true, supportsAlpha: true,
                    supportsAnimation: true, largestSide: 65_536))
        }
    }
#endif
