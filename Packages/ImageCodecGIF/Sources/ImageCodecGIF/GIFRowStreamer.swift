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
