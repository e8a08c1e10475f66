import Foundation
import ImageContractTesting
import ImageCore
import Testing

@testable import ImageTesting

@Suite("The contract of ImageDecoder")
struct ImageDecoderContractTests {
    typealias Rule = ContractRule<ImageDecoderContract.Subject>

    static let samples: [ImageDecoderContract.Sample] = {
        let size = PixelSize(width: 13, height: 7)
        let pixels = (0..<size.area * 4).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let still = FakeImage(
            size, frames: [pixels], scales: true, colorProfile: Data("profile".utf8), nativeLayout: .gray8)
        let animation = FakeImage(
            size, frames: [pixels, [1, 2, 3, 4], pixels.reversed()], delays: [.milliseconds(40)], loopCount: 0,
            hasAlpha: true)
        return [
            .init("still", still.encoded, storedSize: size),
            .init("animation", animation.encoded, storedSize: size, frameCount: 3, pixels: pixels),
        ]
    }()

    @Test("the fake decoder passes", arguments: ImageDecoderContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check(.init(FakeDecoder(), samples: Self.samples))
    }

    @Test("each rule fails for a decoder that breaks it", arguments: BrokenDecoder.Defect.allCases)
    func brokenDouble(_ defect: BrokenDecoder.Defect) async throws {
        let rule = try #require(ImageDecoderContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(.init(BrokenDecoder(defect), samples: Self.samples))
        }
    }
}

/// A fake decoder that breaks one rule, which is the raw value of its defect.
final class BrokenDecoder: ImageDecoder {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case needsLongerPrefix = "the decoder recognizes its own images by their first 32 bytes"
        case recognizesEverything = "the decoder recognizes neither too few bytes nor other formats"
        case reportsAnotherSize = "the header has the format, the stored size and the number of frames"
        case ignoresStartIndex = "the decoder reads a slice of larger data"
        case ignoresFrameLimit = "opening an image with too many pixels, too long a side or too many frames fails"
        case rejectsMetadata = "metadata above the limit is ignored, and opening succeeds"
        case opensAnything = "opening data that is not an image fails as malformed or truncated"
        case offersTooSmall =
            "an image decodes at each size and in each layout that it offers, in any order, as promised"
        case swapsColors = "the pixels are those of the file, in straight RGBA from the top"
        case confusesThreads = "an image can be opened and decoded concurrently"
        case padsTruncated = "half of a file fails as truncated"
        case dropsRows = "a file that is cut or changed anywhere decodes completely or fails with a typed error"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let decoder = FakeDecoder()
    private let opened = Counter()
    private let intact = Set(ImageDecoderContractTests.samples.map(\.data))

    init(_ defect: Defect) { self.defect = defect }

    var format: ImageFormat { decoder.format }

    func recognizes(_ prefix: Data) -> Bool {
        switch defect {
        case .needsLongerPrefix: prefix.count > 32
        case .recognizesEverything: true
        default: decoder.recognizes(prefix)
        }
    }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        var (data, limits) = (data, limits)
        switch defect {
        case .ignoresStartIndex where data.startIndex != 0:
            data = Data(data.prefix(data.count - 4)) + [9, 9, 9, 9]
        case .ignoresFrameLimit: limits.maxFrames = .max
        case .rejectsMetadata where limits.metadataByteLimit == 0:
            throw .limitExceeded(.metadataBytes, value: 1, allowed: 0)
        case .opensAnything where !decoder.recognizes(data), .padsTruncated where !intact.contains(data),
            .dropsRows where !intact.contains(data):
            data = FakeImage.encode(width: 8, height: 8)
        default: break
        }
        let isIntact = intact.contains(data)
        return BrokenImage(
            try decoder.open(data, limits: limits), defect: defect, number: opened.next(), isIntact: isIntact)
    }
}

private final class BrokenImage: OpenedImage {
    private let image: any OpenedImage
    private let defect: BrokenDecoder.Defect
    private let number: Int
    private let isIntact: Bool

    init(_ image: any OpenedImage, defect: BrokenDecoder.Defect, number: Int, isIntact: Bool) {
        self.image = image
        self.defect = defect
        self.number = number
        self.isIntact = isIntact
    }

    var header: ImageHeader {
        var header = image.header
        if defect == .reportsAnotherSize { header.storedSize.width += 1 }
        return header
    }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        image.decodableSize(covering: defect == .offersTooSmall ? PixelSize(width: 1, height: 1) : target)
    }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        let collected = CollectingRowSink()
        try image.decode(frame: index, size: size, layout: layout, preference: preference, into: collected)
        for row in defect == .dropsRows && !isIntact ? collected.rows.dropLast() : collected.rows[...] {
            try sink.receive(changed(row, layout).span)
        }
    }

    private func changed(_ row: [UInt8], _ layout: PixelLayout) -> [UInt8] {
        switch defect {
        case .swapsColors where layout == .rgba8: row.indices.map { row[[2, 0, -2, 0][$0 % 4] + $0] }
        case .confusesThreads: row.map { $0 &+ UInt8(truncatingIfNeeded: number) }
        default: row
        }
    }
}
