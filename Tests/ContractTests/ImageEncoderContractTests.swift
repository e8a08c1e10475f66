import Foundation
import ImageContractTesting
import ImageCore
import Testing

@testable import ImageTesting

@Suite("The contract of ImageEncoder")
struct ImageEncoderContractTests {
    typealias Rule = ContractRule<ImageEncoderContract.Subject>

    static func subject(_ encoder: any ImageEncoder) -> ImageEncoderContract.Subject {
        .init(
            encoder, decoder: FakeDecoder(), isLossless: true, supportsAlpha: true, supportsAnimation: true,
            largestSide: FakeEncoder.largestSide)
    }

    @Test("the fake encoder passes", arguments: ImageEncoderContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check(Self.subject(FakeEncoder()))
    }

    @Test("each rule fails for an encoder that breaks it", arguments: BrokenEncoder.Defect.allCases)
    func brokenDouble(_ defect: BrokenEncoder.Defect) async throws {
        let rule = try #require(ImageEncoderContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(Self.subject(BrokenEncoder(defect)))
        }
    }
}

/// A fake encoder that breaks one rule, which is the raw value of its defect.
struct BrokenEncoder: ImageEncoder {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case transposes = "an encoded file is recognized by its decoder and has the size of the image"
        case addsNumber = "the encoder writes the same bytes for the same image"
        case darkens = "the decoded file equals the image if lossless, and is close to it otherwise"
        case dropsAlpha = "the encoder keeps alpha if the format supports it, and drops it otherwise"
        case roundsAlpha = "the encoder keeps partly transparent pixels if it says so"
        case keepsHiddenAlpha = "the alpha of an image that is marked as opaque is ignored"
        case halvesAtLowQuality = "the encoder accepts any quality"
        case acceptsAnySize = "encoding a size that the format can't represent fails"
        case playsOnce = "an animation is encoded with frames, delays and loop count, or fails as unsupported"
        case dropsColorSpace = "a file describes the color space of its image, or the image is converted to sRGB"
        case acceptsUnevenFrames = "encoding an animation without frames or with frames of several sizes fails"

        var testDescription: String { rawValue }
    }

    let defect: Defect
    private let encoder = FakeEncoder()
    private let calls = Counter()

    init(_ defect: Defect) { self.defect = defect }

    var format: ImageFormat { encoder.format }
    var keepsAlpha: Bool { encoder.keepsAlpha }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        var (size, pixels) = (bitmap.size, bitmap.pixels)
        switch defect {
        case .transposes: size = size.transposed
        case .addsNumber: pixels[0] = UInt8(calls.next())
        case .darkens: pixels = pixels.map { $0 / 2 }
        case .dropsAlpha:
            return try encoder.encode(Bitmap(size: size, pixels: pixels, isOpaque: true), options: options)
        case .roundsAlpha:
            for index in stride(from: 3, to: pixels.count, by: 4) { pixels[index] = pixels[index] < 128 ? 0 : 255 }
        case .halvesAtLowQuality where options.quality == 0:
            size.height /= 2
            pixels.removeLast(size.area * 4)
        case .acceptsAnySize where size.width > FakeEncoder.largestSide || size.height > FakeEncoder.largestSide:
            return FakeImage(size).encoded
        default: break
        }
        let space = defect == .dropsColorSpace ? .sRGB : bitmap.colorSpace
        let isOpaque = defect == .keepsHiddenAlpha ? nil : bitmap.isOpaque
        return try encoder.encode(
            Bitmap(size: size, pixels: pixels, isOpaque: isOpaque, colorSpace: space), options: options)
    }

    func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> Data {
        switch defect {
        case .acceptsUnevenFrames:
            FakeImage.encode(width: 1, height: 1)
        case .playsOnce:
            try encoder.encode(frames, loopCount: 1, options: options)
        default:
            try encoder.encode(frames, loopCount: loopCount, options: options)
        }
    }
}
