#if AVIF
    import ImageCodecAVIF
    import ImageContractTesting
    import ImageCore
    import Testing

    @Suite("AVIF: the contracts of decoders and encoders")
    struct AVIFContractTests {
        private static let encoder = AVIFEncoder(effort: 1)

        @Test("the decoder passes", arguments: ImageDecoderContract.rules)
        func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
            try await rule.check(.init(AVIFDecoder(), samples: ImageDecoderContract.Sample.all(by: Self.encoder)))
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
