import ImageCore

/// The canvas of an animation and what it takes to go on to the next frame.
struct GIFCompositor {
    private let size: PixelSize
    private var canvas: [UInt32]
    private var reader: LZWReader?
    /// The frame that is drawn next, from 0.
    private(set) var next = 0
    /// The frame drawn last; its disposal is still to be done.
    private var drawn: GIFFrame?
    /// What `drawn` covered, when it is to be restored.
    private var covered: [UInt32] = []
    /// Rows from the top of the canvas that can be told. Fewer than all only after a frame whose data ended early.
    private var toldRows = 0

    init(canvas size: PixelSize) {
        self.size = size
        canvas = []
    }

    /// Forgets all frames; the next one is `index`, which must not depend on those before it.
    mutating func restart(at index: Int) {
        next = index
        drawn = nil
        covered = []
        canvas.clear(0..<canvas.count)
    }

    /// What is held while `frame` is drawn, in bytes.
    func byteCount(drawing frame: GIFFrame) -> Int {
        let rows = visibleRows(of: frame)
        let columns = visibleColumns(of: frame)
        return 4 * (size.area + (frame.disposal == .restore ? rows.count * columns.count : 0))
    }

    /// Throws `.truncated` when the frame's data ends early; it is then drawn as far as it goes.
    ///
    /// - Parameter sink: is asked from time to time whether all this is still wanted.
    mutating func draw(
        _ frame: GIFFrame, from source: Span<UInt8>, for sink: any PixelRowSink
    ) throws(DecodingFailure) {
        if canvas.isEmpty { canvas = [UInt32](repeating: 0, count: size.area) }
        dispose()
        covered = []
        if frame.disposal == .restore { cover(frame) }
        try paint(frame, from: source, for: sink)
        drawn = frame
        next += 1
    }

    /// Hands over the rows that can be told.
    func send(to sink: any PixelRowSink) throws(DecodingFailure) {
        for y in 0..<toldRows {
            try canvas.sendAsBytes(y * size.width..<(y + 1) * size.width, to: sink)
        }
    }

    private func visibleRows(of frame: GIFFrame) -> Range<Int> {
        min(frame.top, size.height)..<min(frame.top + frame.height, size.height)
    }

    private func visibleColumns(of frame: GIFFrame) -> Range<Int> {
        min(frame.left, size.width)..<min(frame.left + frame.width, size.width)
    }

    private mutating func paint(
        _ frame: GIFFrame, from source: Span<UInt8>, for sink: any PixelRowSink
    ) throws(DecodingFailure) {
        toldRows = size.height
        guard frame.width > 0, frame.height > 0 else { return }
        var painted = 0
        do throws(DecodingFailure) {
            try paint(frame, from: source, for: sink, counting: &painted)
        } catch {
            // Over earlier frames all rows can be told; those of the first end with its data.
            if drawn == nil { toldRows = spread(frame, painted: painted) }
            throw error
        }
    }

    private mutating func paint(
        _ frame: GIFFrame, from source: Span<UInt8>, for sink: any PixelRowSink, counting painted: inout Int
    ) throws(DecodingFailure) {
        if self.reader == nil { self.reader = try LZWReader() }
        guard let reader else { return }
        let palette = GIFPalette(frame.palette, in: source)
        var indices = [UInt8](repeating: 0, count: frame.width)
        try reader.start(at: frame.dataOffset, in: source)
        for row in GIFRowOrder(height: frame.height, isInterlaced: frame.isInterlaced) {
            if painted % 64 == 0 { try sink.checkCancellation() }
            var target = indices.mutableSpan
            try reader.read(into: &target, from: source)
            painted += 1
            let y = frame.top + row
            guard y < size.height else { continue }
            frame.paint(indices.span, palette: palette, onto: &canvas, at: y * size.width, clippedTo: size.width)
        }
    }

    /// Of an interlaced frame, copies rows that are there to those that are missing below them.
    ///
    /// - Parameter painted: how many rows there are, in the order in which they are stored.
    /// - Returns: rows of the canvas that can be told.
    private mutating func spread(_ frame: GIFFrame, painted: Int) -> Int {
        guard frame.isInterlaced else { return min(size.height, frame.top + painted) }
        let known = Set(GIFRowOrder(height: frame.height, isInterlaced: true).prefix(painted))
        let told = min(frame.height, 8 * painted)
        let columns = visibleColumns(of: frame)
        var source = 0
        for row in 0..<told {
            if known.contains(row) { source = row }
            let (from, to) = ((frame.top + source) * size.width, (frame.top + row) * size.width)
            guard source != row, frame.top + row < size.height else { continue }
            for x in columns { canvas[to + x] = canvas[from + x] }
        }
        return min(size.height, told == frame.height ? size.height : frame.top + told)
    }

    private mutating func cover(_ frame: GIFFrame) {
        let columns = visibleColumns(of: frame)
        let rows = visibleRows(of: frame)
        covered.reserveCapacity(rows.count * columns.count)  // growing would take up to three times as much
        for y in rows {
            covered.append(
                contentsOf: canvas[y * size.width + columns.lowerBound..<y * size.width + columns.upperBound])
        }
    }

    private mutating func dispose() {
        guard let drawn, drawn.disposal != .keep else { return }
        let columns = visibleColumns(of: drawn)
        var source = 0
        for y in visibleRows(of: drawn) {
            let start = y * size.width + columns.lowerBound
            if drawn.disposal == .clear {
                canvas.clear(start..<start + columns.count)
            } else {
                canvas.replaceSubrange(start..<start + columns.count, with: covered[source..<source + columns.count])
                source += columns.count
            }
        }
    }
}
/// The order in which a frame's rows are stored (GIF89a, appendix E).
struct GIFRowOrder: Sequence, IteratorProtocol {
    private let height: Int
    private var passes: ArraySlice<(first: Int, step: Int)>
    private var row: Int

    init(height: Int, isInterlaced: Bool) {
        self.height = height
        passes = isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
        row = 0
    }

    mutating func next() -> Int? {
        while row >= height {
            passes = passes.dropFirst()
            guard let pass = passes.first else { return nil }
            row = pass.first
        }
        guard let pass = passes.first else { return nil }
        defer { row += pass.step }
        return row
    }
}
