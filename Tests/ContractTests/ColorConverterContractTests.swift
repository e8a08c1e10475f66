import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@Suite("The contract of ColorConverter")
struct ColorConverterContractTests {
    typealias Rule = ContractRule<ColorConverterContract.Subject>

    static let samples: [ColorConverterContract.Sample] =
        [
            (.rgba8, [10, 20, 30, 40], [245, 235, 225, 40]), (.gray8, [10], [245, 245, 245, 255]),
            (.grayAlpha8, [10, 7], [245, 245, 245, 7]), (.cmyk8, [1, 2, 3, 0], [1, 2, 3, 255]),
        ].map { layout, pixel, expected in
            .init(
                SourceColor(profile: FakeColorConverter.profile(for: layout)), layout: layout, pixel: pixel,
                expected: expected, tolerance: 0)
        } + [
            .init(FakeColorConverter.color, pixel: [10, 20, 30, 40], expected: [245, 235, 225, 40], tolerance: 0)
        ]

    @Test("the fake converter passes", arguments: ColorConverterContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check(.init(FakeColorConverter(), samples: Self.samples))
    }

    @Test("each rule fails for a converter that breaks it", arguments: BrokenConverter.Defect.allCases)
    func brokenDouble(_ defect: BrokenConverter.Defect) async throws {
        let rule = try #require(ColorConverterContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(.init(BrokenConverter(defect: defect), samples: Self.samples))
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(ColorConverterContract.rules.map(\.name)) == Set(BrokenConverter.Defect.allCases.map(\.rawValue)))
    }
}

/// A fake converter that breaks one rule, which is the raw value of its defect.
struct BrokenConverter: ColorConverter {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case acceptsAnyData = "the converter ignores data that is not a profile"
        case acceptsAnyLayout = "the converter ignores a profile for another layout"
        case convertsToItself = "the converter keeps the pixels of files in the color space of the result"
        case hasNoGamut = "the converter has a gamut for exactly the colors that it applies"
        case convertsWrongly = "the converter converts pixels to the color space"
        case dropsAlpha = "the converter preserves alpha"
        case repeatsRows = "the converter passes on each row once, at its full length"
        case drifts = "the converter converts all rows in the same way"
        case swallowsErrors = "the converter rethrows the error of the next stage"
        case dropsRows = "the converter ignores a truncated profile, or converts each row with it"

        var testDescription: String { rawValue }
    }

    let defect: Defect

    func makeStage(
        from color: SourceColor, layout: PixelLayout, to space: ColorSpace, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        let fake = FakeColorConverter()
        let isWhole = fake.gamut(of: color, layout: layout) != nil
        let isAccepted =
            switch defect {
            case .acceptsAnyData, .dropsRows: isWhole || color.profile != nil
            case .acceptsAnyLayout: isWhole || color.profile?.starts(with: Data("inverted".utf8)) ?? false
            case .convertsToItself: isWhole || color.profile == nil
            default: isWhole
            }
        guard isAccepted else { return nil }
        let stage = BrokenConversion(defect, isWhole: isWhole, next: next)
        let profile = SourceColor(profile: FakeColorConverter.profile(for: layout))
        return fake.makeStage(from: profile, layout: layout, to: space, width: width, next: stage)
    }

    func gamut(of color: SourceColor, layout: PixelLayout) -> ColorSpace? {
        defect == .hasNoGamut ? nil : FakeColorConverter().gamut(of: color, layout: layout)
    }
}

private final class BrokenConversion: PixelRowSink {
    private let defect: BrokenConverter.Defect
    private let isWhole: Bool
    private let next: any PixelRowSink
    private var received = 0

    init(_ defect: BrokenConverter.Defect, isWhole: Bool, next: any PixelRowSink) {
        self.defect = defect
        self.isWhole = isWhole
        self.next = next
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        defer { received += 1 }
        if defect == .dropsRows, !isWhole { return }
        let bytes = row.indices.map { changed(row[$0], at: $0) }
        if defect == .repeatsRows { try next.receive(bytes.span) }
        guard defect == .swallowsErrors else { return try next.receive(bytes.span) }
        do throws(DecodingFailure) { try next.receive(bytes.span) } catch { return }
    }

    private func changed(_ value: UInt8, at index: Int) -> UInt8 {
        switch defect {
        case .convertsWrongly: value &+ 1
        case .dropsAlpha: index % 4 == 3 ? 99 : value
        case .drifts: value &+ UInt8(received)
        default: value
        }
    }
}
