import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The canvas of an animation, with the state to draw the next frame (RFC 9649, 2.7.1.1).
struct WebPCompositor {
    private let size: PixelSize
    private let pool: PixelBufferPool?
    /// RGBA pixels with straight alpha. Allocated with the first frame.
    private var canvas: [UInt8] = []
    /// The index of the next frame to draw.
    private(set) var next = 0
    /// The last drawn frame. If it has to be cleared, this is done before the next frame is drawn.
    private var drawn: WebPFrame?
    /// The number of valid rows from the top. Less than the height only if the first frame is truncated.
    private var validRows = 0

    /// - Parameter pool: Provides the memory of frames that are blended.
    init(canvas size: PixelSize, pool: PixelBufferPool?) {
        self.size = size
        self.pool = pool
    }

    /// The size of the canvas in bytes.
    var byteCount: Int { 4 * size.area }

    /// Resets the canvas. The next frame is `index`, which must not depend on earlier frames.
    mutating func restart(at index: Int) { (next, drawn, canvas) = (index, nil, []) }

    /// Decodes the next frame onto the canvas. Discard the compositor if this throws.
    mutating func draw(_ frame: WebPFrame, of data: Data) throws(DecodingFailure) {
        prepareCanvas()
        if frame.blends && frame.image.hasAlpha {
            let pixels = try frame.image.pixels(at: frame.data, of: data, pool: pool)
            draw(pixels, at: frame)
            pool?.give(pixels)
        } else {
            try decode(frame, of: data)
        }
        validRows = size.height
        drawn = frame
        next += 1
    }

    /// Draws the first rows of a truncated frame.
    mutating func draw(_ frame: WebPFrame, firstRows: [UInt8]) {
        prepareCanvas()
        draw(firstRows, at: frame)
        let rows = firstRows.count / (4 * frame.size.width)
        validRows = drawn == nil && rows < frame.size.height ? frame.top + rows : size.height
        drawn = frame
        next += 1
    }

    /// Sends the valid rows to `sink`.
    func send(to sink: any PixelRowSink) throws(DecodingFailure) {
        let stride = 4 * size.width
        for y in 0..<validRows { try sink.receive(canvas.span.extracting(y * stride..<(y + 1) * stride)) }
    }

    /// Disposes of the last frame.
    private mutating func prepareCanvas() {
        if canvas.isEmpty { canvas = [UInt8](repeating: 0, count: byteCount) }
        guard let drawn, drawn.clears else { return }
        for y in 0..<drawn.size.height {
            for index in range(ofRow: y, in: drawn) { canvas[index] = 0 }
        }
    }

    /// Decodes a frame that is not blended.
    private mutating func decode(_ frame: WebPFrame, of data: Data) throws(DecodingFailure) {
        let (start, stride) = (range(ofRow: 0, in: frame).lowerBound, 4 * size.width)
        let outcome = unsafe canvas.withUnsafeMutableBufferPointer { canvas in
            unsafe frame.image.decode(at: frame.data, of: data, into: canvas.extracting(start...), stride: stride)
        }
        try check(outcome)
    }

    /// Draws the first rows of a frame, or all of them.
    private mutating func draw(_ pixels: [UInt8], at frame: WebPFrame) {
        let (blends, stride) = (frame.blends && frame.image.hasAlpha, 4 * frame.size.width)
        for y in 0..<pixels.count / stride {
            let (source, target) = (y * stride..<(y + 1) * stride, range(ofRow: y, in: frame))
            if blends {
                blend(pixels.span.extracting(source), into: target)
            } else {
                canvas.replaceSubrange(target, with: pixels[source])
            }
        }
    }

    private mutating func blend(_ row: Span<UInt8>, into range: Range<Int>) {
        precondition(row.count == range.count)
        // Sound: by the precondition, both rows are equally long.
        unsafe canvas.withUnsafeMutableBufferPointer { canvas in
            unsafe row.withUnsafeBufferPointer { row in
                unsafe webp_blend(row.baseAddress, row.count / 4, canvas.extracting(range).baseAddress)
            }
        }
    }

    /// Returns the bytes of a row of a frame.
    private func range(ofRow y: Int, in frame: WebPFrame) -> Range<Int> {
        let start = 4 * ((frame.top + y) * size.width + frame.left)
        return start..<start + 4 * frame.size.width
    }
}
