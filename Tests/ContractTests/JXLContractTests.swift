#if JXL
    import ImageCodecJXL
    import ImageContractTesting
    import ImageCore
    import Testing

    @Suite("JPEG XL: the contracts of decoders and encoders")
    struct JXLContractTests {
        @Test("the decoder passes", arguments: ImageDecoderContract.rules)
        func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
            try await rule.check(
                .init(JXLDecoder(), samples: ImageDecoderContract.Sample.all(by: JXLEncoder(effort: 3))))
        }

        @Test("the encoder passes", arguments: ImageEncoderContract.rules)
        func encoder(_ rule: ContractRule<ImageEncoderContract.Subject>) async throws {
            try await rule.check(
                .init(
                    JXLEncoder(effort: 3), decoder: JXLDecoder(), isLossless: true, supportsAlpha: true,
                    supportsAnimation: true, largestSide: 262_144))
        }
    }
#endif
