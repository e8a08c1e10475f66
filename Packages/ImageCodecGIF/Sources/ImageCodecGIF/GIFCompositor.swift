import ImageCore

/// The canvas of an animation, with the state to draw the next frame.
struct GIFCompositor {
    private let size: PixelSize
    private var canvas: [UInt32]
    private var reader: LZWReader?
    /// The index of the next frame to draw.
    private(set) var next = 0
    /// The last drawn frame. It is disposed of before the next frame is drawn.
    private var drawn: GIFFrame?
    /// The pixels under `drawn` if it has to be restored.
    private var savedPixels: [UInt32] = []
    /// The number of valid rows from the top. Less than the height only after the first frame if its data is truncated.
    private var validRows = 0

    init(canvas size: PixelSize) {
        self.size = size
        canvas = []
    }

    /// Resets the canvas. The next frame is `index`, which must not depend on earlier frames.
    mutating func restart(at index: Int) {
        next = index
        drawn = nil
        savedPixels = []
        canvas.clear(0..<canvas.count)
    }

    /// Returns the memory for drawing `frame`, in bytes.
    func byteCount(drawing frame: GIFFrame) -> Int {
        let rows = visibleRows(of: frame)
        let columns = visibleColumns(of: frame)
        let saved = frame.disposal == .restore ? rows.count * columns.count : 0
        return 4 * (size.area + saved) + LZWReader.byteCount(pixels: frame.area)
    }

    /// Draws the next frame.
    ///
    /// - Parameter sink: Checked for cancellation every 64 rows.
    /// - Throws: `.truncated` if the frame's data ends early. The available rows are drawn first.
    mutating func draw(
        _ frame: GIFFrame, from source: Span<UInt8>, for sink: any PixelRowSink
    ) throws(DecodingFailure) {
        if canvas.isEmpty { canvas = [UInt32](repeating: 0, count: size.area) }
        dispose()
        savedPixels = []
        if frame.disposal == .restore { save(frame) }
        try paint(frame, from: source, for: sink)
        drawn = frame
        next += 1
    }

    /// Sends the valid rows to `sink`.
    func send(to sink: any PixelRowSink) throws(DecodingFailure) {
        for y in 0..<validRows {
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
        validRows = size.height
        guard frame.hasPixels else { return }
        var painted = 0
        do throws(DecodingFailure) {
            try paint(frame, from: source, for: sink, counting: &painted)
        } catch {
            // With an earlier frame below, all rows are valid. Otherwise valid rows end with the data.
            if drawn == nil { validRows = fillMissingRows(frame, painted: painted) }
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

    /// Fills the missing rows of an interlaced frame with copies of the rows above them.
    ///
    /// - Parameter painted: The number of decoded rows, in stored order.
    /// - Returns: The number of valid rows of the canvas.
    private mutating func fillMissingRows(_ frame: GIFFrame, painted: Int) -> Int {
        guard frame.isInterlaced else { return min(size.height, frame.top + painted) }
        let known = Set(GIFRowOrder(height: frame.height, isInterlaced: true).prefix(painted))
        let valid = min(frame.height, 8 * painted)
        let columns = visibleColumns(of: frame)
        var source = 0
        for row in 0..<valid {
            if known.contains(row) { source = row }
            let (from, to) = ((frame.top + source) * size.width, (frame.top + row) * size.width)
            guard source != row, frame.top + row < size.height else { continue }
            for x in columns { canvas[to + x] = canvas[from + x] }
        }
        return min(size.height, valid == frame.height ? size.height : frame.top + valid)
    }

    private mutating func save(_ frame: GIFFrame) {
        let columns = visibleColumns(of: frame)
        let rows = visibleRows(of: frame)
        savedPixels.reserveCapacity(rows.count * columns.count)  // Growth could allocate three times as much.
        for y in rows {
            savedPixels.append(
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
                canvas.replaceSubrange(
                    start..<start + columns.count, with: savedPixels[source..<source + columns.count])
                source += columns.count
            }
        }
    }
}
/// The order of the stored rows of a frame (GIF89a, appendix E).
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

/// 256 colors as RGBA bytes in memory order.
struct GIFPalette {
    private(set) var colors: [UInt32]

    /// Reads a palette. Indices beyond it are opaque black. Without a palette, indices are shades of gray.
    init(_ location: GIFPaletteLocation, in source: Span<UInt8>) {
        colors = [UInt32](repeating: Self.pixel(0, 0, 0), count: 256)
        for index in 0..<256 {
            let offset = location.offset + 3 * index
            if index < location.count, offset + 2 < source.count {
                colors[index] = Self.pixel(source[offset], source[offset + 1], source[offset + 2])
            } else if location.count == 0 {
                let gray = UInt8(index)
                colors[index] = Self.pixel(gray, gray, gray)
            }
        }
    }

    private static func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
        (UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000).littleEndian
    }
}
