#if HEIF
    import ImageCodecHEIF
    import ImageContractTesting
    import ImageCore
    import ImageTesting
    import Testing

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    @Suite("HEIF: the contracts of decoders and encoders")
    struct HEIFContractTests {
        @Test("the decoder passes", arguments: ImageDecoderContract.rules)
        func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
            let samples = try [CodecSample.opaque, .transparent].flatMap { sample in
                try [false, true].map { isLossless in
                    let data = try sample.encoded(by: HEIFEncoder(), options: EncodingOptions(isLossless: isLossless))
                    return ImageDecoderContract.Sample(
                        "\(sample), \(isLossless ? "lossless" : "lossy")", data, storedSize: sample.size)
                }
            }
            try await rule.check(.init(HEIFDecoder(), samples: samples))
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
