import ImageContractTesting
import ImageCore
import ImageProcessing
import ImageTesting
import Testing

@Suite("The contract of RowResampler")
struct RowResamplerContractTests {
    typealias Rule = ContractRule<RowResamplerContract.Subject>

    @Test("the Lanczos resampler passes", arguments: RowResamplerContract.rules)
    func lanczos(_ rule: Rule) async throws { try await rule.check(LanczosRowResampler()) }

    @Test("the fake resampler passes", arguments: RowResamplerContract.rules)
    func fake(_ rule: Rule) async throws { try await rule.check(FakeRowResampler()) }

    @Test("each rule fails for a resampler that breaks it", arguments: BrokenResampler.Defect.allCases)
    func brokenDouble(_ defect: BrokenResampler.Defect) async throws {
        let rule = try #require(RowResamplerContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) { try await rule.check(BrokenResampler(defect)) }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(RowResamplerContract.rules.map(\.name)) == Set(BrokenResampler.Defect.allCases.map(\.rawValue)))
    }
}

/// A fake resampler that breaks one rule, which is the raw value of its defect.
struct BrokenResampler: RowResampler {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case undersamples = "the oversampling is finite and at least 1"
        case dropsFirstRow = "the resampler produces each output row once, at its full length"
        case brightens = "an image of a single color keeps its color"
        case changesIdentity = "an image that keeps its size is unchanged"
        case countsRuns = "the resampler produces the same bytes for the same input"
        case reducesAlpha = "an opaque image stays opaque"
        case ignoresAlpha = "the colors of transparent pixels do not affect the result"
        case usesNearest = "details that are too small for the output are averaged"
        case mirrors = "the output is neither mirrored nor shifted"
        case ignoresRegion = "the output shows the region and nothing far from it"
        case swallowsErrors = "the resampler rethrows the error of the next stage and stops"

        var testDescription: String { rawValue }
    }

    let defect: Defect
    private let runs = Counter()

    init(_ defect: Defect) { self.defect = defect }

    var oversampling: Double { defect == .undersamples ? 0.5 : 1 }

    func makeStage(
        source: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, next: any PixelRowSink
    ) throws(DecodingFailure) -> any PixelRowSink {
        let usedRegion = defect == .ignoresRegion ? PixelRegion(source) : region
        let after = BrokenOutput(defect, run: runs.next(), next: next)
        let stage = try FakeRowResampler().makeStage(
            source: source, region: usedRegion, output: output, isOpaque: isOpaque, next: after)
        return BrokenInput(defect, next: stage)
    }
}

/// Changes rows before they are resampled.
private final class BrokenInput: PixelRowSink {
    private let defect: BrokenResampler.Defect
    private let next: any PixelRowSink
    private var nearest: [UInt8] = []

    init(_ defect: BrokenResampler.Defect, next: any PixelRowSink) {
        self.defect = defect
        self.next = next
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        var bytes = row.indices.map { row[$0] }
        switch defect {
        case .ignoresAlpha:
            for index in bytes.indices where index % 4 == 3 { bytes[index] = 255 }
        case .usesNearest:
            // As if only the first row and column were read.
            if nearest.isEmpty { nearest = Array(repeatElement(bytes.prefix(4), count: bytes.count / 4).joined()) }
            bytes = nearest
        default: break
        }
        try next.receive(bytes.span)
    }
}

/// Changes rows after they are resampled.
private final class BrokenOutput: PixelRowSink {
    private let defect: BrokenResampler.Defect
    private let run: Int
    private let next: any PixelRowSink
    private var received = 0

    init(_ defect: BrokenResampler.Defect, run: Int, next: any PixelRowSink) {
        self.defect = defect
        self.run = run
        self.next = next
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        received += 1
        if defect == .dropsFirstRow, received == 1 { return }
        let bytes = changed(row.indices.map { row[$0] })
        guard defect == .swallowsErrors else { return try next.receive(bytes.span) }
        do throws(DecodingFailure) { try next.receive(bytes.span) } catch { return }
    }

    private func changed(_ row: [UInt8]) -> [UInt8] {
        switch defect {
        case .brightens, .changesIdentity: row.map { $0 &+ 1 }
        case .countsRuns: row.map { $0 &+ UInt8(truncatingIfNeeded: run) }
        case .reducesAlpha: row.enumerated().map { $0.offset % 4 == 3 ? 254 : $0.element }
        case .mirrors: stride(from: row.count - 4, through: 0, by: -4).flatMap { row[$0..<$0 + 4] }
        default: row
        }
    }
}
