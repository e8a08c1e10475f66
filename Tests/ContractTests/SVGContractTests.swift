#if SVG
    import Foundation
    import ImageCodecSVG
    import ImageContractTesting
    import ImageCore
    import Testing

    @Suite("SVG: the contract of decoders")
    struct SVGContractTests {
        /// A drawing has no size of its own that could exceed a limit.
        private static let rules = ImageDecoderContract.rules.filter {
            $0.name != "opening an image with too many pixels, too long a side or too many frames fails"
        }

        @Test("the decoder passes the rules that are not about the size of pixels", arguments: rules)
        func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
            let file = """
                <svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"><rect width="2" height="2" fill="#f80"/>
                <rect x="3" width="1" height="1" fill="#00f" fill-opacity="0.2"/></svg>
                """
            let (orange, none, blue): ([UInt8], [UInt8], [UInt8]) = (
                [255, 136, 0, 255], [0, 0, 0, 0], [0, 0, 255, 51]
            )
            let sample = ImageDecoderContract.Sample(
                "rectangles", Data(file.utf8), storedSize: PixelSize(width: 4, height: 2),
                pixels: orange + orange + none + blue + orange + orange + none + none)
            try await rule.check(.init(SVGDecoder(), samples: [sample]))
        }
    }
#endif
