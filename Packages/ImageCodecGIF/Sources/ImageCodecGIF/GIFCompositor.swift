import ImageCore

/// The canvas of an animation and what it takes to go on to the next frame.
struct GIFCompositor {
    private let size: PixelSize
    private var canvas: [UInt32]
    /// The frame that is drawn next, from 0.
    private(set) var next = 0
    /// The frame drawn last; its disposal is still to be done.
    private var drawn: GIFFrame?
    /// What `drawn` covered, when it is to be restored.
    private var covered: [UInt32] = []

    init(canvas size: PixelSize) {
        self.size = size
        canvas = []
    }

    /// Forgets all frames; the next one is `index`, which must not depend on those before it.
    mutating func restart(at index: Int) {
        next = index
        drawn = nil
        covered = []
        for position in canvas.indices { canvas[position] = 0 }
    }

    /// What is held while `frame` is drawn, in bytes.
    func byteCount(drawing frame: GIFFrame) -> Int {
        let rows = visibleRows(of: frame)
        let columns = visibleColumns(of: frame)
        return 4 * (size.area + (frame.disposal == .restore ? rows.count * columns.count : 0))
    }

    mutating func draw(_ frame: GIFFrame, from source: Span<UInt8>) throws(DecodingFailure) {
        if canvas.isEmpty { canvas = [UInt32](repeating: 0, count: size.area) }
        dispose()
        covered = []
        if frame.disposal == .restore { cover(frame) }
        try paint(frame, from: source)
        drawn = frame
        next += 1
    }

    func send(to sink: any PixelRowSink) throws(DecodingFailure) {
        for y in 0..<size.height {
            try canvas.sendAsBytes(y * size.width..<(y + 1) * size.width, to: sink)
        }
    }

    private func visibleRows(of frame: GIFFrame) -> Range<Int> {
        min(frame.top, size.height)..<min(frame.top + frame.height, size.height)
    }

    private func visibleColumns(of frame: GIFFrame) -> Range<Int> {
        min(frame.left, size.width)..<min(frame.left + frame.width, size.width)
    }

    private mutating func paint(_ frame: GIFFrame, from source: Span<UInt8>) throws(DecodingFailure) {
        guard frame.width > 0, frame.height > 0 else { return }
        let palette = GIFPalette(frame.palette, in: source)
        var reader = try LZWReader(at: frame.dataOffset, in: source)
        var indices = [UInt8](repeating: 0, count: frame.width)
        for row in GIFRowOrder(height: frame.height, isInterlaced: frame.isInterlaced) {
            var target = indices.mutableSpan
            try reader.read(into: &target, from: source)
            let y = frame.top + row
            guard y < size.height else { continue }
            frame.paint(
                indices.span, palette: palette, onto: &canvas, at: y * size.width, clippedTo: size.width,
                erasing: false)
        }
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
            for x in columns {
                canvas[y * size.width + x] = drawn.disposal == .restore ? covered[source] : 0
                source += 1
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
