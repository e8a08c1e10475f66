import ImageContractTesting
import ImageCore
import ImageProcessing
import Testing

@testable import ImageTesting

@Suite("The contract of ImageProcessor")
struct ImageProcessorContractTests {
    typealias Rule = ContractRule<ImageProcessorContract.Subject>

    static let border = ImageBorder(color: PixelColor(red: 250, green: 200, blue: 0, alpha: 120), width: 1.5)

    static let mark = Bitmap(
        size: PixelSize(width: 2, height: 1), pixels: [250, 200, 0, 120, 9, 9, 9, 255], isOpaque: false)

    static let subjects: [ImageProcessorContract.Subject] = [
        .init(
            ResizeProcessor(ImageTarget(PixelSize(width: 10, height: 10))),
            other: ResizeProcessor(ImageTarget(PixelSize(width: 10, height: 10), mode: .fill))),
        .init(
            ResizeProcessor(ImageTarget(PixelSize(width: 12, height: 8), mode: .fill, upscales: true)),
            other: ResizeProcessor(ImageTarget(PixelSize(width: 12, height: 8), mode: .fill))),
        .init(
            CropProcessor(PixelArea(size: PixelSize(width: 5, height: 50))),
            other: CropProcessor(PixelArea(size: PixelSize(width: 5, height: 51)))),
        .init(
            ResizeProcessor(stretchingTo: PixelSize(width: 3, height: 31)),
            other: ResizeProcessor(.fit(PixelSize(width: 3, height: 31)))),
        .init(GaussianBlurProcessor(sigma: 0.7), other: GaussianBlurProcessor(sigma: 0.7000001)),
        .init(GaussianBlurProcessor(sigma: 12), other: GaussianBlurProcessor(sigma: 0)),
        .init(RoundedCornersProcessor(radius: 7.5), other: RoundedCornersProcessor(radius: 7.25)),
        .init(
            RoundedCornersProcessor(radii: CornerRadii(topLeft: 90, bottomRight: 3), border: border),
            other: RoundedCornersProcessor(radii: CornerRadii(topLeft: 90, bottomRight: 3))),
        .init(CircleProcessor(), other: CircleProcessor(border: border)),
        .init(TintProcessor(.black), other: TintProcessor(.black, mode: .template)),
        .init(
            TintProcessor(PixelColor(red: 250, green: 200, blue: 0, alpha: 120), mode: .template),
            other: TintProcessor(.white, mode: .template)),
        .init(SharpenProcessor(sigma: 2), other: SharpenProcessor(sigma: 2.5)),
        .init(PixelateProcessor(side: 3), other: PixelateProcessor(side: 4)),
        .init(OrientationProcessor(.left), other: OrientationProcessor(.right)),
        .init(
            CanvasProcessor(x: -1, y: 2, size: PixelSize(width: 9, height: 40)),
            other: CanvasProcessor(x: -1, y: 2, size: PixelSize(width: 9, height: 41))),
        .init(BackgroundProcessor(.white), other: BackgroundProcessor(.black)),
        .init(TrimProcessor(threshold: 3), other: TrimProcessor(threshold: 3, equalEdges: .vertical)),
        .init(
            AttentionCropProcessor(size: PixelSize(width: 5, height: 4)),
            other: AttentionCropProcessor(size: PixelSize(width: 4, height: 5))),
        .init(
            WatermarkProcessor(mark, identifier: "a", placement: .at(x: 1, y: -1)),
            other: WatermarkProcessor(mark, identifier: "b", placement: .at(x: 1, y: -1))),
        .init(
            WatermarkProcessor(
                mark, identifier: "a", placement: .tiles(horizontalSpacing: 1, verticalSpacing: 0), opacity: 0.5),
            other: WatermarkProcessor(
                mark, identifier: "a", placement: .tiles(horizontalSpacing: 0, verticalSpacing: 1), opacity: 0.5)),
        .init(ClosureProcessor(identifier: "a") { $0 }, other: ClosureProcessor(identifier: "b") { $0 }),
        .init(FakeProcessor("a"), other: FakeProcessor("b")),
        .init(BrokenProcessor(nil), other: FakeProcessor("b")),
    ]

    @Test("all processors pass", arguments: subjects, ImageProcessorContract.rules)
    func real(_ subject: ImageProcessorContract.Subject, _ rule: Rule) async throws { try await rule.check(subject) }

    @Test("each rule fails for a processor that breaks it", arguments: BrokenProcessor.Defect.allCases)
    func brokenDouble(_ defect: BrokenProcessor.Defect) async throws {
        let rule = try #require(ImageProcessorContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(.init(BrokenProcessor(defect), other: BrokenProcessor(defect)))
        }
    }
}

/// A processor that doesn't change images and breaks one rule, or none without a defect.
struct BrokenProcessor: ImageProcessor {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case isUnstable = "the processor returns the same image each time"
        case ignoresParameters = "the identifier is stable, and differs for other parameters"
        case alwaysClaimsOpacity = "an image is marked as opaque if and only if it is"
        case forgetsColorSpace = "the processor keeps the color space"
        case confusesImages = "the processor handles several images concurrently"
        case showsHiddenAlpha = "the alpha of an image that is marked as opaque does not affect the result"
        case showsTransparentPixels = "the colors of transparent pixels do not affect the result"

        var testDescription: String { rawValue }
    }

    private let defect: Defect?
    private let calls = Counter()

    init(_ defect: Defect?) { self.defect = defect }

    var identifier: String { "nothing" }

    func process(_ bitmap: Bitmap) throws -> Bitmap {
        var (pixels, isOpaque): ([UInt8], Bool?) = (bitmap.pixels, bitmap.isOpaque)
        switch defect {
        case .isUnstable, .confusesImages: pixels[0] = UInt8(truncatingIfNeeded: calls.next())
        case .alwaysClaimsOpacity: isOpaque = true
        case .showsHiddenAlpha: isOpaque = nil
        case .showsTransparentPixels:
            for index in stride(from: 3, to: pixels.count, by: 4) { pixels[index] = 255 }
            isOpaque = true
        default: break
        }
        let space = defect == .forgetsColorSpace ? .sRGB : bitmap.colorSpace
        return Bitmap(size: bitmap.size, pixels: pixels, isOpaque: isOpaque, colorSpace: space)
    }
}
