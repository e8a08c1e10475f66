import CImageCodecGIF
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

    /// Draws the next frame. Checks `sink` for cancellation every 64 rows. If the frame's data ends early, draws the
    /// available rows and throws `.truncated`.
    mutating func draw(
        _ frame: GIFFrame, from data: Span<UInt8>, for sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        if canvas.isEmpty { canvas = [UInt32](repeating: 0, count: size.area) }
        dispose()
        savedPixels = []
        if frame.disposal == .restore { save(frame) }
        try paint(frame, from: data, for: sink)
        drawn = frame
        next += 1
    }

    /// Sends the valid rows to `sink`.
    func send(to sink: any PixelRowSink) throws(ImageDecodingError) {
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
        _ frame: GIFFrame, from data: Span<UInt8>, for sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        validRows = size.height
        guard frame.hasPixels else { return }
        var painted = 0
        do throws(ImageDecodingError) {
            try paint(frame, from: data, for: sink, counting: &painted)
        } catch {
            // With an earlier frame below, all rows are valid. Otherwise valid rows end with the data.
            if drawn == nil { validRows = fillMissingRows(frame, painted: painted) }
            throw error
        }
    }

    private mutating func paint(
        _ frame: GIFFrame, from data: Span<UInt8>, for sink: any PixelRowSink, counting painted: inout Int
    ) throws(ImageDecodingError) {
        if self.reader == nil { self.reader = try LZWReader() }
        guard let reader else { return }
        let palette = GIFPalette(frame.palette, in: data)
        var indices = [UInt8](repeating: 0, count: frame.width)
        try reader.start(at: frame.dataOffset, in: data)
        for row in GIFRowOrder(height: frame.height, isInterlaced: frame.isInterlaced) {
            if painted % 64 == 0 { try sink.checkCancellation() }
            var target = indices.mutableSpan
            try reader.read(into: &target, from: data)
            painted += 1
            let y = frame.top + row
            guard y < size.height else { continue }
            frame.paint(indices.span, palette: palette, onto: &canvas, at: y * size.width, clippedTo: size.width)
        }
    }

    /// Fills the missing rows of an interlaced frame with copies of the rows above them, after `painted` rows in stored
    /// order. Returns the number of valid rows of the canvas.
    private mutating func fillMissingRows(_ frame: GIFFrame, painted: Int) -> Int {
        guard frame.isInterlaced else { return min(size.height, frame.top + painted) }
        let known = Set(GIFRowOrder(height: frame.height, isInterlaced: true).prefix(painted))
        let valid = min(frame.height, 8 * painted)
        let columns = visibleColumns(of: frame)
        var data = 0
        for row in 0..<valid {
            if known.contains(row) { data = row }
            let (from, to) = ((frame.top + data) * size.width, (frame.top + row) * size.width)
            guard data != row, frame.top + row < size.height else { continue }
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
        var data = 0
        for y in visibleRows(of: drawn) {
            let start = y * size.width + columns.lowerBound
            if drawn.disposal == .clear {
                canvas.clear(start..<start + columns.count)
            } else {
                canvas.replaceSubrange(
                    start..<start + columns.count, with: savedPixels[data..<data + columns.count])
                data += columns.count
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
    init(_ location: GIFPaletteLocation, in data: Span<UInt8>) {
        colors = [UInt32](repeating: Self.pixel(0, 0, 0), count: 256)
        for index in 0..<256 {
            let offset = location.offset + 3 * index
            if index < location.count, offset + 2 < data.count {
                colors[index] = Self.pixel(data[offset], data[offset + 1], data[offset + 2])
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

/// Decodes a still image row by row, with one row in memory.
struct GIFRowStreamer {
    let frame: GIFFrame
    let canvas: PixelSize

    /// Decodes the frame and sends the rows of the canvas to `sink`. The frame must not be interlaced.
    func stream(from data: Span<UInt8>, into sink: any PixelRowSink) throws(ImageDecodingError) {
        let palette = GIFPalette(frame.palette, in: data)
        let reader = try LZWReader()
        var indices = [UInt8](repeating: 0, count: frame.width)
        var row = [UInt32](repeating: 0, count: canvas.width)
        if frame.hasPixels { try reader.start(at: frame.dataOffset, in: data) }
        for y in 0..<canvas.height {
            if frame.hasPixels, y >= frame.top, y < frame.top + frame.height {
                var target = indices.mutableSpan
                try reader.read(into: &target, from: data)
                if frame.transparentIndex != nil { row.clear(0..<row.count) }
                frame.paint(indices.span, palette: palette, onto: &row, at: 0, clippedTo: canvas.width)
            } else if y == frame.top + frame.height {
                row.clear(0..<row.count)
            }
            try row.sendAsBytes(0..<canvas.width, to: sink)
        }
    }
}

extension GIFFrame {
    /// Paints a row of indices onto the canvas row that starts at `start`. Transparent pixels leave the canvas
    /// unchanged.
    func paint(
        _ indices: Span<UInt8>, palette: GIFPalette, onto pixels: inout [UInt32], at start: Int,
        clippedTo canvasWidth: Int
    ) {
        let visible = max(0, min(width, canvasWidth - left, indices.count))
        guard visible > 0 else { return }
        let transparent = CInt(transparentIndex ?? -1)
        let range = start + left..<start + left + visible
        // Safe: both buffers hold `visible` elements, and the palette holds 256.
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            let target = pixels.extracting(range)
            unsafe indices.withUnsafeBufferPointer { indices in
                unsafe palette.colors.withUnsafeBufferPointer { colors in
                    unsafe gif_paint(indices.baseAddress, visible, colors.baseAddress, transparent, target.baseAddress)
                }
            }
        }
    }
}

extension [UInt32] {
    mutating func clear(_ range: Range<Int>) {
        var pixels = mutableSpan
        for index in range { pixels[index] = 0 }
    }

    /// Sends pixels to a sink as bytes in memory order.
    func sendAsBytes(_ range: Range<Int>, to sink: any PixelRowSink) throws(ImageDecodingError) {
        // Safe: the view covers initialized elements and does not outlive the call.
        let bytes = unsafe span.extracting(range).bytes
        try sink.receive(Span(_bytes: bytes))
    }
}

/// Decompresses the pixel indices of images, row by row (GIF89a, appendix F).
/// In C, to avoid a second bounds check for each access.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class. Spans are not stored.
@safe final class LZWReader {
    private let handle: OpaquePointer

    init() throws(ImageDecodingError) {
        guard let handle = unsafe gif_lzw_open() else { throw .unsupported(.gif, "out of memory") }
        unsafe self.handle = handle
    }

    deinit { unsafe gif_lzw_close(handle) }

    /// Returns the most memory for decompressing an image, in bytes. The strings are as long as the image, but not longer than
    /// those of a full table (8.4 MB), and their buffer grows by doubling.
    static func byteCount(pixels: Int) -> Int {
        let (table, longestString) = (32_768, 4_096)
        return table + min(2 * (pixels + longestString) + table, 16 << 20)
    }

    /// Starts the image whose LZW code size byte is at `offset`. Throws `.malformed` if it is not from 1 to 11, or
    /// `.truncated`.
    func start(at offset: Int, in data: Span<UInt8>) throws(ImageDecodingError) {
        let outcome = unsafe data.withUnsafeBufferPointer { bytes in
            unsafe gif_lzw_start(handle, bytes.baseAddress, bytes.count, offset)
        }
        if outcome == gif_lzw_malformed { throw .malformed(.gif, "the LZW code size is \(data[offset])") }
        if outcome != gif_lzw_ok { throw .truncated(.gif) }
    }

    /// Fills `row` with the next indices. `data` must be the same in each call.
    func read(into row: inout MutableSpan<UInt8>, from data: Span<UInt8>) throws(ImageDecodingError) {
        var filled = 0
        let outcome = unsafe data.withUnsafeBufferPointer { bytes in
            unsafe row.withUnsafeMutableBufferPointer { row in
                unsafe gif_lzw_read(handle, bytes.baseAddress, bytes.count, row.baseAddress, row.count, &filled)
            }
        }
        if outcome == gif_lzw_malformed { throw .malformed(.gif, "an LZW code is not in the table") }
        if outcome == gif_lzw_out_of_memory { throw .unsupported(.gif, "out of memory") }
        if outcome != gif_lzw_ok { throw .truncated(.gif) }
    }
}
