import ImageCore

/// The canvas of an animation, with the state to draw the next frame (RFC 9649, 2.7.1.1).
struct WebPCompositor {
    private let size: PixelSize
    private var canvas: WebPPixels?
    /// The index of the next frame to draw.
    private(set) var next = 0
    /// The last drawn frame. If it has to be cleared, this is done before the next frame is drawn.
    private var drawn: WebPFrame?
    /// The number of valid rows from the top. Less than the height only if the first frame is truncated.
    private var validRows = 0

    init(canvas size: PixelSize) { self.size = size }

    /// The size of the canvas in bytes.
    var byteCount: Int { 4 * size.area }

    /// Resets the canvas. The next frame is `index`, which must not depend on earlier frames.
    mutating func restart(at index: Int) {
        next = index
        drawn = nil
        canvas = nil
    }

    /// Draws the next frame.
    ///
    /// - Parameter pixels: The frame, or its first rows.
    mutating func draw(_ frame: WebPFrame, pixels: WebPPixels) {
        let isPart = pixels.size.height < frame.size.height
        validRows = isPart && drawn == nil ? min(size.height, frame.top + pixels.size.height) : size.height
        if !isPart, frame.replaces(size) {
            canvas = pixels
        } else {
            draw(frame, pixels, overAll: canvas ?? WebPPixels(clear: size))
        }
        drawn = frame
        next += 1
    }

    private mutating func draw(_ frame: WebPFrame, _ pixels: WebPPixels, overAll below: consuming WebPPixels) {
        canvas = nil
        if let drawn, drawn.clears { below.clear(drawn) }
        below.draw(frame, pixels: pixels)
        canvas = below
    }

    func send(to sink: any PixelRowSink) throws(DecodingFailure) { try canvas?.send(rows: validRows, to: sink) }
}

extension WebPPixels {
    /// Returns the number of columns of a frame that are on the canvas.
    private func columns(of frame: WebPFrame) -> Int { max(0, min(frame.size.width, size.width - frame.left)) }

    private func rows(of frame: WebPFrame) -> Int { max(0, min(frame.size.height, size.height - frame.top)) }

    fileprivate mutating func clear(_ frame: WebPFrame) {
        let columns = columns(of: frame)
        for y in 0..<rows(of: frame) {
            let start = (frame.top + y) * size.width + frame.left
            for x in start..<start + columns { values[x] = 0 }
        }
    }

    fileprivate mutating func draw(_ frame: WebPFrame, pixels: WebPPixels) {
        let columns = columns(of: frame)
        let rows = min(rows(of: frame), pixels.size.height)
        let blends = frame.blends && frame.image.hasAlpha
        let (width, left, top) = (size.width, frame.left, frame.top)
        for y in 0..<rows {
            let range = (top + y) * width + left..<(top + y) * width + left + columns
            let source = y * frame.size.width..<y * frame.size.width + columns
            if blends {
                blend(pixels.values.span.extracting(source), into: range)
            } else {
                values.replaceSubrange(range, with: pixels.values[source])
            }
        }
    }

    private mutating func blend(_ row: Span<UInt32>, into range: Range<Int>) {
        var target = values.mutableSpan
        for (x, index) in range.enumerated() { target[index] = row[x].blended(over: target[index]) }
    }
}

extension UInt32 {
    private var alpha: UInt32 { UInt32(littleEndian: self) >> 24 }

    /// Returns this RGBA pixel composited over another, both with straight alpha, rounded to the nearest.
    fileprivate func blended(over below: UInt32) -> UInt32 {
        if alpha == 255 || below.alpha == 0 { return self }
        if alpha == 0 { return below }
        // The weights of both pixels, in units of 1/255².
        let weight = alpha * 255
        let weightBelow = below.alpha * (255 - alpha)
        let sum = weight + weightBelow
        var result = ((sum + 127) / 255) << 24
        for shift in stride(from: UInt32(0), to: 24, by: 8) {
            let upper = UInt32(littleEndian: self) >> shift & 255
            let lower = UInt32(littleEndian: below) >> shift & 255
            result |= ((upper * weight + lower * weightBelow + sum / 2) / sum) << shift
        }
        return result.littleEndian
    }
}
