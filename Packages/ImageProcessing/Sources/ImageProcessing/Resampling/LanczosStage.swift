import ImageCore

/// Filters downwards over the last source rows, then across, for one output row at a time.
///
/// Downwards first, because that is the greater part when scaling down and the part that vector units do best.
final class LanczosStage: PixelRowSink {
    private let source: PixelSize
    private let output: PixelSize
    private let isOpaque: Bool
    private let next: any PixelRowSink
    private let across: LanczosWeights
    private let down: LanczosWeights
    /// The columns of the source that any output pixel needs.
    private let columns: Range<Int>

    /// The sums of the output rows to come, where a filter is too high to keep all rows under it.
    private var open: OpenSums?
    /// How many rows are kept: those under a filter, or a group that is to be added to `open`.
    private let keptCount: Int
    /// The last `keptCount` rows of an opaque picture; source row y is in slot `y % keptCount`.
    private var rows: [UInt8]
    /// The same of a picture with alpha, premultiplied.
    private var premultipliedRows: [UInt16]
    /// One row, filtered downwards; premultiplied unless opaque.
    private var sums: [Float]
    private var result: [UInt8]
    private var received = 0
    /// How many of them are in `open`.
    private var added = 0
    private var emitted = 0

    /// The highest filter whose rows are all kept. Sums take less than that in any picture.
    static let highestFilter = 64

    init(source: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, next: any PixelRowSink) {
        self.source = source
        self.output = output
        self.isOpaque = isOpaque
        self.next = next
        across = LanczosWeights(
            sourceCount: source.width, start: region.x, length: region.width, outputCount: output.width)
        down = LanczosWeights(
            sourceCount: source.height, start: region.y, length: region.height, outputCount: output.height)
        columns = across.sourceRange
        if down.count > Self.highestFilter { open = OpenSums(down, sampleCount: columns.count * 4) }
        keptCount = open == nil ? down.count : OpenSums.groupHeight
        let sampleCount = keptCount * columns.count * 4
        rows = [UInt8](repeating: 0, count: isOpaque ? sampleCount : 0)
        premultipliedRows = [UInt16](repeating: 0, count: isOpaque ? 0 : sampleCount)
        sums = [Float](repeating: 0, count: open == nil ? columns.count * 4 : 0)
        result = [UInt8](repeating: 255, count: output.width * 4)
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        precondition(row.count == source.width * 4, "a row of \(row.count) bytes for a picture of \(source)")
        guard emitted < output.height else { return }
        if received >= down.starts[emitted] { keep(row) }
        received += 1
        if received % OpenSums.groupHeight == 0 { addToOpen() }
        while emitted < output.height, down.starts[emitted] + down.usedCounts[emitted] <= received {
            addToOpen()
            if open == nil { filterDown() }
            RowKernels.filterAcross(
                open?[emitted] ?? sums, weights: across, firstColumn: columns.lowerBound, isOpaque: isOpaque,
                into: &result)
            emitted += 1
            let finished = result
            try next.receive(finished.span)
        }
    }

    /// Adds the rows that came since the last time, at most a group: one never reaches beyond a multiple of its height.
    private func addToOpen() {
        guard added < received else { return }
        let range = added..<received
        added = received
        if isOpaque {
            let rows = rows
            open?.add(range, toOutputFrom: emitted, samples: rows.span, place: slot(of:))
        } else {
            let rows = premultipliedRows
            open?.add(range, toOutputFrom: emitted, samples: rows.span, place: slot(of:))
        }
    }

    private func keep(_ row: Span<UInt8>) {
        let kept = row.extracting(columns.lowerBound * 4..<columns.upperBound * 4)
        if isOpaque {
            RowKernels.copy(kept, to: slot(of: received), of: &rows)
        } else {
            RowKernels.premultiply(kept, to: slot(of: received), of: &premultipliedRows)
        }
    }

    /// Where source row `y` is kept.
    private func slot(of y: Int) -> Range<Int> {
        let sampleCount = columns.count * 4
        let start = y % keptCount * sampleCount
        return start..<start + sampleCount
    }

    /// Sums the rows under output row `emitted`.
    private func filterDown() {
        if isOpaque {
            let rows = rows
            sum(rows.span)
        } else {
            let rows = premultipliedRows
            sum(rows.span)
        }
    }

    @inline(__always)
    private func sum<Sample: FixedWidthInteger>(_ rows: Span<Sample>) {
        for tap in stride(from: 0, to: down.usedCounts[emitted], by: 4) {
            RowKernels.sum(
                rows.extracting(place(tap)), rows.extracting(place(tap + 1)), rows.extracting(place(tap + 2)),
                rows.extracting(place(tap + 3)),
                weights: SIMD4(weight(tap), weight(tap + 1), weight(tap + 2), weight(tap + 3)), isFirst: tap == 0,
                into: &sums)
        }
    }

    /// Where the `tap`th row under output row `emitted` is kept; the last one's place for those beyond it.
    private func place(_ tap: Int) -> Range<Int> {
        slot(of: down.starts[emitted] + min(tap, down.usedCounts[emitted] - 1))
    }

    /// The weight of the `tap`th row under output row `emitted`; 0 for those beyond the last.
    private func weight(_ tap: Int) -> Float { down.weight(of: down.starts[emitted] + tap, in: emitted) }
}
