import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@Suite("The contract of IncrementalImageDecoder")
struct IncrementalImageDecoderContractTests {
    typealias Rule = ContractRule<IncrementalImageDecoderContract.Subject>

    static let samples: [ImageDecoderContract.Sample] = {
        let size = PixelSize(width: 9, height: 11)
        let pixels = (0..<size.area * 4).map { UInt8(truncatingIfNeeded: $0 * 7) }
        return [
            .init("opaque", FakeImage(size, frames: [pixels]).encoded, storedSize: size),
            .init("alpha", FakeImage(size, frames: [pixels], hasAlpha: true).encoded, storedSize: size),
        ]
    }()

    @Test("the fake decoder passes", arguments: IncrementalImageDecoderContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check(.init(FakeIncrementalDecoder(), samples: Self.samples))
    }

    @Test("each rule fails for a decoder that breaks it", arguments: BrokenIncrementalDecoder.Defect.allCases)
    func brokenDouble(_ defect: BrokenIncrementalDecoder.Defect) async throws {
        let rule = try #require(IncrementalImageDecoderContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(.init(BrokenIncrementalDecoder(defect), samples: Self.samples))
        }
    }
}

/// A fake decoder that breaks one rule, which is the raw value of its defect.
final class BrokenIncrementalDecoder: IncrementalImageDecoder {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case startsWithHeader = "an image has no header and no preview before it receives bytes"
        case reportsAnotherSize = "the header has the size and format that opening the whole file returns"
        case changesLastRow = "the last preview equals the decoded file, at each size that is offered"
        case countsPieces = "a preview does not depend on how the bytes are split"
        case shrinks = "a preview never shrinks, and has as many rows as its extent says"
        case waitsForEnd = "a part of the image is shown before all bytes have arrived"
        case previewsOnce = "the same preview can be decoded twice"
        case rejectsSurplus = "bytes after the end of the image are ignored"
        case ignoresSinkFailure = "decoding a preview stops with the error that the sink throws, and can be repeated"
        case ignoresPixelLimit = "an image that is too large fails as soon as its header has arrived"
        case addsRows = "a file with any wrong byte fails with a typed error, or its previews stay valid"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let decoder = FakeIncrementalDecoder()

    init(_ defect: Defect) { self.defect = defect }

    var format: ImageFormat { decoder.format }

    func recognizes(_ prefix: Data) -> Bool { decoder.recognizes(prefix) }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        try decoder.open(data, limits: limits)
    }

    func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage {
        let allowed = defect == .ignoresPixelLimit ? DecodingLimits.default : limits
        return BrokenIncrementalImage(decoder.makeIncrementalImage(limits: allowed), defect)
    }
}

private final class BrokenIncrementalImage: IncrementalImage {
    private let image: any IncrementalImage
    private let defect: BrokenIncrementalDecoder.Defect
    private var pieces = 0
    private var previews = 0

    init(_ image: any IncrementalImage, _ defect: BrokenIncrementalDecoder.Defect) {
        self.image = image
        self.defect = defect
    }

    var header: ImageHeader? {
        var header = image.header
        if defect == .reportsAnotherSize { header?.storedSize.width += 1 }
        if defect == .startsWithHeader, header == nil {
            return ImageHeader(format: .fake, storedSize: PixelSize(width: 9, height: 11))
        }
        return header
    }

    var extent: PreviewExtent {
        if defect == .shrinks, pieces % 2 == 0 { return PreviewExtent(passes: 0, rows: min(1, image.extent.rows)) }
        if defect == .waitsForEnd, image.extent.passes == 0 { return .nothing }
        return image.extent
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { image.decodableSize(covering: target) }

    func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int { image.heldByteCount(size: size, layout: layout) }

    func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
        try image.start(size: image.header?.storedSize ?? size, layout: layout)
    }

    func append(_ bytes: Data) throws(ImageDecodingError) {
        pieces += 1
        if defect == .rejectsSurplus, bytes.contains(0xA5), bytes.allSatisfy({ $0 == 0xA5 }) {
            throw .malformed(.fake, "more than expected")
        }
        try image.append(bytes)
    }

    func decodePreview(into sink: any PixelRowSink) throws(ImageDecodingError) {
        previews += 1
        let collected = CollectingRowSink()
        try image.decodePreview(into: collected)
        var rows = collected.rows
        if defect == .changesLastRow, !rows.isEmpty { rows[rows.count - 1][0] ^= 1 }
        if defect == .countsPieces, !rows.isEmpty { rows[0][0] = UInt8(truncatingIfNeeded: pieces) }
        if defect == .previewsOnce, previews > 1 { rows = [] }
        if defect == .addsRows { rows += [[UInt8]](repeating: rows.first ?? [0], count: 12) }
        for row in rows {
            do throws(ImageDecodingError) {
                try sink.receive(row.span)
            } catch {
                if defect != .ignoresSinkFailure { throw error }
            }
        }
    }
}
