import CImageCodecGIF
import ImageCore

extension AnimationCanvas {
    /// Paints a frame. Checks `sink` for cancellation every 64 rows. If the frame's data ends early, paints the
    /// available rows and throws `.truncated`.
    mutating func paint(
        _ frame: GIFFrame, from data: Span<UInt8>, with reader: LZWReader, on size: PixelSize,
        for sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        begin(frame.onCanvas(size))
        guard frame.hasPixels else { return }
        let palette = GIFPalette(frame.palette, in: data)
        var indices = [UInt8](repeating: 0, count: frame.width)
        try reader.start(at: frame.dataOffset, in: data)
        for (painted, row) in GIFRowOrder(height: frame.height, isInterlaced: frame.isInterlaced).enumerated() {
            if painted % 64 == 0 { try sink.checkCancellation() }
            do throws(ImageDecodingError) {
                var target = indices.mutableSpan
                try reader.read(into: &target, from: data)
            } catch {
                if isFirst { fillMissingRows(frame, on: size, painted: painted) }
                throw error
            }
            let y = frame.top + row
            guard y < size.height else { continue }
            frame.paint(indices.span, palette: palette, onto: &pixels, at: 4 * y * size.width, clippedTo: size.width)
        }
    }

    /// Fills the missing rows of an interlaced frame with copies of the rows above them, after `painted` rows in stored
    /// order. The valid rows of the canvas end with those of the frame.
    private mutating func fillMissingRows(_ frame: GIFFrame, on size: PixelSize, painted: Int) {
        guard frame.isInterlaced else { return limit(toRows: painted) }
        let known = Set(GIFRowOrder(height: frame.height, isInterlaced: true).prefix(painted))
        let area = frame.onCanvas(size).area
        var data = 0
        for row in 0..<min(area.height, 8 * painted) {
            if known.contains(row) { data = row }
            if data == row { continue }
            let (from, to) = (range(ofRow: data, in: area), range(ofRow: row, in: area))
            for (from, to) in zip(from, to) { pixels[to] = pixels[from] }
        }
        limit(toRows: 8 * painted)
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
        var row = [UInt8](repeating: 0, count: 4 * canvas.width)
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
            try sink.receive(row.span)
        }
    }
}

extension GIFFrame {
    /// Returns the frame, clipped to a canvas.
    func onCanvas(_ canvas: PixelSize) -> CanvasFrame {
        let (left, top) = (min(left, canvas.width), min(top, canvas.height))
        let area = PixelArea(
            left: left, top: top, width: min(width, canvas.width - left), height: min(height, canvas.height - top))
        return CanvasFrame(
            area: area, disposal: disposal, isOpaque: hasPixels && !isTruncated && transparentIndex == nil)
    }

    /// Paints a row of indices onto the row of the canvas that starts at the byte `start`. Transparent pixels leave the
    /// canvas unchanged.
    func paint(
        _ indices: Span<UInt8>, palette: GIFPalette, onto pixels: inout [UInt8], at start: Int,
        clippedTo canvasWidth: Int
    ) {
        let visible = max(0, min(width, canvasWidth - left, indices.count))
        guard visible > 0 else { return }
        let transparent = CInt(transparentIndex ?? -1)
        let range = start + 4 * left..<start + 4 * (left + visible)
        // Safe: the buffers have `visible` indices and pixels, and the palette has 256 colors.
        unsafe pixels.withUnsafeMutableBytes { pixels in
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: pixels[range])
            unsafe indices.withUnsafeBufferPointer { indices in
                unsafe palette.colors.withUnsafeBufferPointer { colors in
                    unsafe gif_paint(indices.baseAddress, visible, colors.baseAddress, transparent, target.baseAddress)
                }
            }
        }
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
