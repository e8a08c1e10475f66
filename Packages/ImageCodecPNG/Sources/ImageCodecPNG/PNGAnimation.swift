import ImageCore

/// The chunks of a complete file, in order. The last one may be cut off.
struct PNGChunks: Sequence, IteratorProtocol {
    struct Element {
        let type: PNGChunkType
        /// The bytes of the data in the file, as far as they are available.
        let content: Range<Int>
        /// Whether the file has the chunk with its checksum.
        let isWhole: Bool
    }

    let file: Data
    private var offset: Int

    /// - Parameter offset: The start of a chunk.
    init(_ file: Data, from offset: Int = PNGChunkStream.signature.count) {
        self.file = file
        self.offset = offset
    }

    mutating func next() -> Element? {
        guard file.count - offset >= 8 else { return nil }
        let (length, type, start) = (uint32(at: offset), UInt32(uint32(at: offset + 4)), offset + 8)
        let isWhole = length <= file.count - start - 4
        offset = isWhole ? start + length + 4 : file.count
        return Element(
            type: PNGChunkType(rawValue: type), content: start..<start + Swift.min(length, file.count - start),
            isWhole: isWhole)
    }

    /// Whether a chunk is whole and has the right checksum.
    func isIntact(_ chunk: Element) -> Bool {
        guard chunk.isWhole else { return false }
        var checksum = PNGChecksum()
        checksum.add(file.span.extracting(chunk.content.lowerBound - 4..<chunk.content.upperBound))
        return Int(checksum.value) == uint32(at: chunk.content.upperBound)
    }

    /// Returns the number of four bytes at an offset, or 0 beyond the end.
    func uint32(at offset: Int) -> Int { file.bigEndian(at: offset, 4) ?? 0 }
}

/// A frame of an animation: an fcTL chunk and the chunks with its pixels (PNG 3rd edition, 11.3.6.2).
struct PNGFrame {
    var onCanvas: CanvasFrame
    let delay: Duration
    /// Whether the frame is blended over the canvas, or else replaces it.
    let blends: Bool
    /// The offset of the fcTL chunk.
    let offset: Int
    /// Whether the pixels are those of the default image.
    var isDefaultImage = false

    /// Returns nil if the chunk is invalid.
    init?(_ chunk: PNGChunks.Element, of chunks: PNGChunks, in canvas: PixelSize, hasAlpha: Bool) {
        let start = chunk.content.lowerBound
        guard chunk.content.count == 26 else { return nil }
        let area = PixelArea(
            left: chunks.uint32(at: start + 12), top: chunks.uint32(at: start + 16),
            width: chunks.uint32(at: start + 4), height: chunks.uint32(at: start + 8))
        guard area.width > 0, area.height > 0, area.left + area.width <= canvas.width,
            area.top + area.height <= canvas.height
        else { return nil }
        guard let delay = chunks.file.bigEndian(at: start + 20, 2), let unit = chunks.file.bigEndian(at: start + 22, 2),
            let disposal = chunks.file.bigEndian(at: start + 24, 1), disposal <= 2,
            let blending = chunks.file.bigEndian(at: start + 25, 1), blending <= 1
        else { return nil }
        self.delay = .nanoseconds(Int64(delay) * 1_000_000_000 / Int64(unit == 0 ? 100 : unit))
        blends = blending == 1 && hasAlpha
        onCanvas = CanvasFrame(area: area, disposal: [.keep, .clear, .restore][disposal], isOpaque: !blends)
        offset = start - 8
    }
}

/// The frames of an animated PNG, without pixels (PNG 3rd edition, 4.9 and 11.3.6).
struct PNGAnimation {
    let frames: [PNGFrame]
    /// The number of times that the animation plays; 0 to repeat it forever.
    let loopCount: Int
    /// Whether the file ends before IEND. The last frame may then be incomplete, and others may be missing.
    let isTruncated: Bool

    /// Reads all chunks, in time linear in their length and memory linear in the number of frames. Inflates nothing.
    ///
    /// Returns nil if the chunks of the animation are not as specified, so that the default image is shown.
    init?(_ chunks: PNGChunks, _ preamble: PNGPreamble, limits: DecodingLimits) throws(ImageDecodingError) {
        var scan = PNGAnimationScan(chunks: chunks, canvas: preamble.header.size, hasAlpha: preamble.hasAlpha)
        for chunk in chunks where !scan.hasEnded {
            guard scan.read(chunk), scan.frames.count <= scan.frameCount ?? .max else { return nil }
            try limits.check(.frames, scan.frames.count)
        }
        if !scan.hasEnded, let last = scan.frames.indices.last { scan.frames[last].onCanvas.isOpaque = false }
        frames = scan.frames
        loopCount = scan.loopCount
        isTruncated = !scan.hasEnded
    }

    /// Whether a pixel of a canvas of this size may be shown that no frame covers.
    func hasTransparentCanvas(_ canvas: PixelSize) -> Bool {
        guard let first = frames.first?.onCanvas else { return false }
        return first.area != PixelArea(size: canvas) || frames.dropLast().contains { $0.onCanvas.disposal == .clear }
    }
}

/// The state between two chunks of an animation.
private struct PNGAnimationScan {
    let chunks: PNGChunks
    let canvas: PixelSize
    /// Whether pixels can be transparent.
    let hasAlpha: Bool
    var frames: [PNGFrame] = []
    /// The number of frames that the file declares. Nil before acTL.
    var frameCount: Int?
    var loopCount = 1
    var hasEnded = false
    /// The next sequence number.
    private var sequence = 0
    /// A frame whose pixels have not started.
    private var waiting: PNGFrame?
    /// The last pixels.
    private var pixels = Pixels.none

    private enum Pixels { case none, defaultImage, frame }

    init(chunks: PNGChunks, canvas: PixelSize, hasAlpha: Bool) {
        self.chunks = chunks
        self.canvas = canvas
        self.hasAlpha = hasAlpha
    }

    /// Returns false if the chunk may not be here, or is damaged. One that the file cuts off isn't.
    mutating func read(_ chunk: PNGChunks.Element) -> Bool {
        switch chunk.type {
        case .animation: !chunk.isWhole || chunks.isIntact(chunk) && readControl(chunk.content)
        case .frame: !chunk.isWhole || chunks.isIntact(chunk) && readFrame(chunk)
        case .framePixels: chunk.isWhole ? chunks.isIntact(chunk) && readPixels(chunk) : readPixels(chunk)
        case .pixels: readDefaultImage()
        case .end: end()
        default: true
        }
    }

    private mutating func readControl(_ content: Range<Int>) -> Bool {
        guard frameCount == nil, content.count == 8 else { return false }
        let count = chunks.uint32(at: content.lowerBound)
        frameCount = count
        loopCount = chunks.uint32(at: content.lowerBound + 4)
        return count > 0 && max(count, loopCount) <= Int32.max
    }

    private mutating func readFrame(_ chunk: PNGChunks.Element) -> Bool {
        guard waiting == nil, let frame = PNGFrame(chunk, of: chunks, in: canvas, hasAlpha: hasAlpha),
            isNext(chunk.content)
        else { return false }
        waiting = frame
        if pixels == .none { return frame.onCanvas.area == PixelArea(size: canvas) }
        pixels = .frame
        return true
    }

    private mutating func readDefaultImage() -> Bool {
        guard pixels != .frame else { return false }
        pixels = .defaultImage
        addWaiting(isDefaultImage: true)
        return true
    }

    private mutating func readPixels(_ chunk: PNGChunks.Element) -> Bool {
        if chunk.content.count < 4 { return !chunk.isWhole }
        guard pixels == .frame, isNext(chunk.content) else { return false }
        addWaiting(isDefaultImage: false)
        return true
    }

    private mutating func end() -> Bool {
        hasEnded = true
        return waiting == nil && frames.count == frameCount
    }

    /// Whether the data of a chunk starts with the next sequence number.
    private mutating func isNext(_ content: Range<Int>) -> Bool {
        defer { sequence += 1 }
        return chunks.uint32(at: content.lowerBound) == sequence
    }

    private mutating func addWaiting(isDefaultImage: Bool) {
        guard var frame = waiting else { return }
        frame.isDefaultImage = isDefaultImage
        // There is nothing to restore under the first frame.
        if frames.isEmpty, frame.onCanvas.disposal == .restore { frame.onCanvas.disposal = .clear }
        frames.append(frame)
        waiting = nil
    }
}
