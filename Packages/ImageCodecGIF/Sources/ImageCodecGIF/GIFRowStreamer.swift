import CImageCodecGIF
import ImageCore

/// Decodes a still image row by row, with one row in memory.
struct GIFRowStreamer {
    let frame: GIFFrame
    let canvas: PixelSize

    /// Decodes the frame and sends the rows of the canvas to `sink`. The frame must not be interlaced.
    func stream(from source: Span<UInt8>, into sink: any PixelRowSink) throws(DecodingFailure) {
        let palette = GIFPalette(frame.palette, in: source)
        let reader = try LZWReader()
        var indices = [UInt8](repeating: 0, count: frame.width)
        var row = [UInt32](repeating: 0, count: canvas.width)
        if frame.hasPixels { try reader.start(at: frame.dataOffset, in: source) }
        for y in 0..<canvas.height {
            if frame.hasPixels, y >= frame.top, y < frame.top + frame.height {
                var target = indices.mutableSpan
                try reader.read(into: &target, from: source)
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
    func sendAsBytes(_ range: Range<Int>, to sink: any PixelRowSink) throws(DecodingFailure) {
        // Safe: the view covers initialized elements and does not outlive the call.
        let bytes = unsafe span.extracting(range).bytes
        try sink.receive(Span(_bytes: bytes))
    }
}

/// Decompresses the pixel indices of images, row by row (GIF89a, appendix F).
///
/// It holds a table of 4096 strings, and the strings of the codes since the last clear code. It is written in C to avoid a
/// second bounds check for each access.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class. Spans are not stored.
@safe final class LZWReader {
    private let handle: OpaquePointer

    init() throws(DecodingFailure) {
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

    /// Starts an image.
    ///
    /// - Parameter offset: The offset of the LZW code size byte. The sub-blocks follow it.
    /// - Throws: `.malformed` if the code size is not from 1 to 11, or `.truncated`.
    func start(at offset: Int, in source: Span<UInt8>) throws(DecodingFailure) {
        let outcome = unsafe source.withUnsafeBufferPointer { bytes in
            unsafe gif_lzw_start(handle, bytes.baseAddress, bytes.count, offset)
        }
        if outcome == gif_lzw_malformed { throw .malformed(.gif, "the LZW code size is \(source[offset])") }
        if outcome != gif_lzw_ok { throw .truncated(.gif) }
    }

    /// Fills `row` with the next indices. `source` must be the same in each call.
    func read(into row: inout MutableSpan<UInt8>, from source: Span<UInt8>) throws(DecodingFailure) {
        var filled = 0
        let outcome = unsafe source.withUnsafeBufferPointer { bytes in
            unsafe row.withUnsafeMutableBufferPointer { row in
                unsafe gif_lzw_read(handle, bytes.baseAddress, bytes.count, row.baseAddress, row.count, &filled)
            }
        }
        if outcome == gif_lzw_malformed { throw .malformed(.gif, "an LZW code is not in the table") }
        if outcome == gif_lzw_out_of_memory { throw .unsupported(.gif, "out of memory") }
        if outcome != gif_lzw_ok { throw .truncated(.gif) }
    }
}
