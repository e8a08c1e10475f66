#if HEIF
    import ImageCodecHEIF
    import ImageContractTesting
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("HEIF: the contracts of decoders and encoders")
    struct HEIFContractTests {
        @Test("the decoder passes", arguments: ImageDecoderContract.rules)
        func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
            try await rule.check(
                .init(
                    HEIFDecoder(),
                    samples: ImageDecoderContract.Sample.all(by: HEIFEncoder(), of: [.opaque, .transparent])))
        }

        @Test("the encoder passes", arguments: ImageEncoderContract.rules)
        func encoder(_ rule: ContractRule<ImageEncoderContract.Subject>) async throws {
            try await rule.check(
                .init(
                    HEIFEncoder(), decoder: HEIFDecoder(), isLossless: true, supportsAlpha: true,
                    supportsAnimation: false, largestSide: 16_384))
        }
    }
#endif
