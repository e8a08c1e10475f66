import ImageCore

/// Sends a still picture's rows on as they are decompressed: one row in memory.
struct GIFRowStreamer {
    let frame: GIFFrame
    let canvas: PixelSize

    /// The frame must not be interlaced.
    func stream(from source: Span<UInt8>, into sink: any PixelRowSink) throws(DecodingFailure) {
        let palette = GIFPalette(frame.palette, in: source)
        var reader = try LZWReader(at: frame.dataOffset, in: source)
        var indices = [UInt8](repeating: 0, count: frame.width)
        var row = [UInt32](repeating: 0, count: canvas.width)
        for y in 0..<canvas.height {
            if y >= frame.top, y < frame.top + frame.height {
                var target = indices.mutableSpan
                try reader.read(into: &target, from: source)
                frame.paint(indices.span, palette: palette, onto: &row, at: 0, clippedTo: canvas.width, erasing: true)
            } else if y == frame.top + frame.height {
                for x in row.indices { row[x] = 0 }
            }
            try row.sendAsBytes(0..<canvas.width, to: sink)
        }
    }
}

extension GIFFrame {
    /// Paints one row of indices onto the canvas row that starts at `start`.
    ///
    /// - Parameter erasing: whether transparent pixels are written as such, or leave what is there.
    func paint(
        _ indices: Span<UInt8>, palette: GIFPalette, onto pixels: inout [UInt32], at start: Int,
        clippedTo canvasWidth: Int, erasing: Bool
    ) {
        let visible = max(0, min(width, canvasWidth - left))
        var target = pixels.mutableSpan
        let colors = palette.colors.span
        for x in 0..<visible {
            let index = Int(indices[x])
            if index != transparentIndex {
                target[start + left + x] = colors[index]
            } else if erasing {
                target[start + left + x] = 0
            }
        }
    }
}

extension [UInt32] {
    /// Hands these pixels to a sink as the bytes they are in memory.
    func sendAsBytes(_ range: Range<Int>, to sink: any PixelRowSink) throws(DecodingFailure) {
        // Sound: the view covers whole, initialised elements and does not outlive the call.
        let bytes = unsafe span.extracting(range).bytes
        try sink.receive(Span(_bytes: bytes))
    }
}
