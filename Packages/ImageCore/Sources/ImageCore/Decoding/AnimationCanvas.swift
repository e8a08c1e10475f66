/// A frame of an animation as its canvas needs it.
package struct CanvasFrame: Hashable, Sendable {
    /// How a frame is disposed of before the next one is drawn.
    package enum Disposal: Sendable {
        /// The frame stays.
        case keep
        /// The area becomes transparent.
        case clear
        /// The pixels under the frame come back.
        case restore
    }

    /// The part of the canvas that the frame is drawn on.
    package var area: PixelArea
    package var disposal: Disposal
    /// Whether the frame is complete and none of the pixels under it are visible.
    package var isOpaque: Bool

    package init(area: PixelArea, disposal: Disposal, isOpaque: Bool) {
        self.area = area
        self.disposal = disposal
        self.isOpaque = isOpaque
    }
}

/// The canvas of an animation, on which a codec draws one frame after the other.
///
/// For each frame, call `begin` and then draw its pixels. Discard the canvas if a frame can't be drawn.
package struct AnimationCanvas {
    private let size: PixelSize
    private let bytesPerPixel: Int
    /// The pixels from the top, without padding. Empty before the first frame.
    package var pixels: [UInt8] = []
    /// The index of the next frame to draw.
    package private(set) var next = 0
    /// The last frame. It is disposed of before the next one is drawn.
    private var drawn: CanvasFrame?
    /// The pixels under `drawn` if it has to be restored.
    private var saved: [UInt8] = []
    /// The number of valid rows from the top.
    private var validRows = 0
    /// Whether no frame is below the current one.
    package private(set) var isFirst = true

    /// Creates a transparent canvas. Allocates its memory with the first frame.
    package init(_ size: PixelSize, bytesPerPixel: Int = 4) {
        self.size = size
        self.bytesPerPixel = bytesPerPixel
    }

    /// Returns the memory for drawing a frame, in bytes: the canvas, and pixels that are restored. `Int.max` on overflow.
    package func byteCount(drawing frame: CanvasFrame) -> Int {
        let saved = frame.disposal == .restore ? frame.area.width.times(frame.area.height) : 0
        return size.area.plus(saved).times(bytesPerPixel)
    }

    /// Prepares for drawing the frames from `next` to `index`. Clears the canvas and starts at an earlier frame, or at a
    /// later one that hides those before it, unless drawing can continue.
    package mutating func seek(to index: Int, of frames: (Int) -> CanvasFrame) {
        if next == index + 1 { return }
        let first = next <= index ? next : 0
        let start = (first...index).last { number in
            let frame = frames(number)
            // What a later frame restores has to be drawn.
            return frame.isOpaque && frame.area == PixelArea(size: size)
                && (frame.disposal != .restore || number == index)
        }
        if next == start ?? first { return }
        self = AnimationCanvas(size, bytesPerPixel: bytesPerPixel)
        next = start ?? first
    }

    /// Disposes of the last frame, and saves the pixels that the new one covers if they have to be restored.
    package mutating func begin(_ frame: CanvasFrame) {
        if pixels.isEmpty { pixels = [UInt8](repeating: 0, count: size.area * bytesPerPixel) }
        dispose()
        saved = []
        if frame.disposal == .restore {
            // Growth could allocate three times as much.
            saved.reserveCapacity(frame.area.width * frame.area.height * bytesPerPixel)
            for y in 0..<frame.area.height { saved += pixels[range(ofRow: y, in: frame.area)] }
        }
        isFirst = drawn == nil
        validRows = size.height
        drawn = frame
        next += 1
    }

    /// Limits the rows that are sent if no frame is below the current one, whose first `count` rows are available.
    package mutating func limit(toRows count: Int) {
        guard isFirst, let drawn, count < drawn.area.height else { return }
        validRows = min(size.height, drawn.area.top + count)
    }

    /// Sends the valid rows to `sink`.
    package func send(to sink: any PixelRowSink) throws(ImageDecodingError) {
        let stride = size.width * bytesPerPixel
        for y in 0..<validRows { try sink.receive(pixels.span.extracting(y * stride..<(y + 1) * stride)) }
    }

    /// Returns the bytes of a row of an area.
    package func range(ofRow y: Int, in area: PixelArea) -> Range<Int> {
        let start = ((area.top + y) * size.width + area.left) * bytesPerPixel
        return start..<start + area.width * bytesPerPixel
    }

    private mutating func dispose() {
        guard let drawn, drawn.disposal != .keep else { return }
        for y in 0..<drawn.area.height {
            let range = range(ofRow: y, in: drawn.area)
            if drawn.disposal == .clear {
                pixels.clear(range)
            } else {
                pixels.replaceSubrange(range, with: saved[y * range.count..<(y + 1) * range.count])
            }
        }
    }
}

extension [UInt8] {
    /// Sets bytes to 0.
    package mutating func clear(_ range: Range<Int>) {
        var bytes = mutableSpan
        for index in range { bytes[index] = 0 }
    }
}
