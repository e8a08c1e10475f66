import Foundation
import ImageContractTesting
import ImageCore
import Testing

@testable import ImageTesting

@Suite("Violations that IncrementalDecodingCheck finds")
struct IncrementalDecodingCheckTests {
    private static let size = PixelSize(width: 9, height: 11)
    private static let file = FakeImage(
        size, frames: [(0..<size.area * 4).map { UInt8(truncatingIfNeeded: $0 * 7) }], hasAlpha: true
    ).encoded

    private func check(_ decoder: any IncrementalImageDecoder) throws {
        try IncrementalDecodingCheck(decoder, limits: DecodingLimits(maxPixels: Self.size.area))
            .check(Self.file, splitInto: [97])
        try IncrementalDecodingCheck(decoder, limits: DecodingLimits(maxPixels: Self.size.area - 1))
            .check(Self.file, splitInto: [])
    }

    @Test("a correct decoder passes")
    func sound() throws { try check(FakeDecoder()) }

    @Test("finds each defect", arguments: BrokenIncrementalDecoder.Defect.allCases)
    func finds(defect: BrokenIncrementalDecoder.Defect) {
        #expect(throws: ContractViolation.self) { try check(BrokenIncrementalDecoder(defect)) }
    }
}

/// A fake decoder with one defect.
final class BrokenIncrementalDecoder: IncrementalImageDecoder {
    enum Defect: CaseIterable {
        case startsWithHeader, reportsAnotherSize, changesLastRow, countsPieces, shrinks, previewsOnce
        case ignoresSinkFailure, ignoresPixelLimit, addsRows
    }

    private let defect: Defect
    private let decoder = FakeDecoder()

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
        return image.extent
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { image.decodableSize(covering: target) }

    func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int { image.heldByteCount(size: size, layout: layout) }

    func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
        try image.start(size: image.header?.storedSize ?? size, layout: layout)
    }

    func append(_ bytes: Data) throws(ImageDecodingError) {
        pieces += 1
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
