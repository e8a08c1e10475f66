import ImageContractTesting
import ImageCore
import ImageProcessing
import ImageTesting
import Testing

@Suite("The contract of RowResampler")
struct RowResamplerContractTests {
    typealias Rule = ContractRule<RowResamplerContract.Subject>

    @Test("the Lanczos resampler obeys", arguments: RowResamplerContract.rules)
    func lanczos(_ rule: Rule) async throws { try await rule.check(LanczosRowResampler()) }

    @Test("the fake resampler obeys", arguments: RowResamplerContract.rules)
    func fake(_ rule: Rule) async throws { try await rule.check(FakeRowResampler()) }

    @Test("each rule bites a resampler that breaks it", arguments: BrokenResampler.Defect.allCases)
    func brokenDouble(_ defect: BrokenResampler.Defect) async throws {
        let rule = try #require(RowResamplerContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) { try await rule.check(BrokenResampler(defect)) }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(RowResamplerContract.rules.map(\.name)) == Set(BrokenResampler.Defect.allCases.map(\.rawValue)))
    }
}

/// A fake resampler that breaks one promise, the one that its defect names.
struct BrokenResampler: RowResampler {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case asksForLess = "asks for a source at least as large as the output"
        case dropsFirstRow = "hands over each output row once, at its full length"
        case brightens = "keeps a single colour"
        case changesIdentity = "passes the whole image at its own size through unchanged"
        case countsRuns = "gives the same bytes for the same input"
        case thins = "keeps an opaque image opaque"
        case ignoresAlpha = "lets no colour under zero alpha show"
        case takesNearest = "averages what the output is too small to show"
        case mirrors = "keeps everything in its place"
        case ignoresRegion = "shows the region and nothing far from it"
        case swallows = "passes on the error of the next stage and goes no further"

        var testDescription: String { rawValue }
    }

    let defect: Defect
    private let runs = Counter()

    init(_ defect: Defect) { self.defect = defect }

    var oversampling: Double { defect == .asksForLess ? 0.5 : 1 }

    func makeStage(
        source: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, next: any PixelRowSink
    ) throws(DecodingFailure) -> any PixelRowSink {
        let seen = defect == .ignoresRegion ? PixelRegion(source) : region
        let after = BrokenOutput(defect, run: runs.next(), next: next)
        let stage = try FakeRowResampler().makeStage(
            source: source, region: seen, output: output, isOpaque: isOpaque, next: after)
        return BrokenInput(defect, next: stage)
    }
}

/// Spoils rows before they are resampled.
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
        case .takesNearest:
            // As if only each first row and column were looked at.
            if nearest.isEmpty { nearest = Array(repeatElement(bytes.prefix(4), count: bytes.count / 4).joined()) }
            bytes = nearest
        default: break
        }
        try next.receive(bytes.span)
    }
}

/// Spoils rows after they are resampled.
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
        guard defect == .swallows else { return try next.receive(bytes.span) }
        do throws(DecodingFailure) { try next.receive(bytes.span) } catch { return }
    }

    private func changed(_ row: [UInt8]) -> [UInt8] {
        switch defect {
        case .brightens, .changesIdentity: row.map { $0 &+ 1 }
        case .countsRuns: row.map { $0 &+ UInt8(truncatingIfNeeded: run) }
        case .thins: row.enumerated().map { $0.offset % 4 == 3 ? 254 : $0.element }
        case .mirrors: stride(from: row.count - 4, through: 0, by: -4).flatMap { row[$0..<$0 + 4] }
        default: row
        }
    }
}
