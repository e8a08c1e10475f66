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
        (self.file, self.offset) = (file, offset)
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

    /// Reads a big-endian number of up to four bytes.
    func number(at offset: Int, bytes count: Int) -> Int {
        let bytes = file.span
        var number = 0
        for index in offset..<offset + count { number = number << 8 | Int(bytes[index]) }
        return number
    }

    func uint32(at offset: Int) -> Int { number(at: offset, bytes: 4) }
}

/// A frame of an animation: an fcTL chunk and the chunks with its pixels (PNG 3rd edition, 11.3.6.2).
struct PNGFrame {
    var onCanvas: CanvasFrame
    let delay: Duration
    /// Whether the frame is blended over the canvas, or else replaces it.
    let blends: Bool
    /// The offset of the first chunk with pixels, or of the fcTL chunk before it.
    var offset: Int
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
        let (delay, unit) = (chunks.number(at: start + 20, bytes: 2), chunks.number(at: start + 22, bytes: 2))
        self.delay = .nanoseconds(Int64(delay) * 1_000_000_000 / Int64(unit == 0 ? 100 : unit))
        let (disposal, blending) = (chunks.number(at: start + 24, bytes: 1), chunks.number(at: start + 25, bytes: 1))
        guard disposal <= 2, blending <= 1 else { return nil }
        blends = blending == 1 && hasAlpha
        onCanvas = CanvasFrame(area: area, disposal: [.keep, .clear, .restore][disposal], isOpaque: !blends)
        offset = start - 8
    }
}

/// The frames of an animated PNG, without pixels (PNG 3rd edition, 4.9 and 11.3.6).
struct PNGAnimation {
    private(set) var frames: [PNGFrame] = []
    /// The number of times that the animation plays; 0 to repeat it forever.
    private(set) var loopCount = 1
    /// Whether the file ends before IEND. The last frame may then be incomplete, and others may be missing.
    private(set) var isTruncated = true
    private let canvas: PixelSize

    /// Reads all chunks, in time linear in their length and memory linear in the number of frames. Inflates nothing.
    ///
    /// Returns nil if the chunks of the animation are not as specified, so that the default image is shown.
    init?(_ chunks: PNGChunks, _ preamble: PNGPreamble, limits: DecodingLimits) throws(ImageDecodingError) {
        canvas = preamble.header.size
        var scan = Scan(hasAlpha: preamble.hasAlpha)
        for chunk in chunks {
            guard scan.read(chunk, of: chunks, into: &self), frames.count <= scan.frameCount ?? .max else { return nil }
            try limits.check(.frames, frames.count)
            if !isTruncated { return }
        }
        if !frames.isEmpty { frames[frames.count - 1].onCanvas.isOpaque = false }
    }

    /// Whether a pixel may be shown that no frame covers.
    var hasTransparentCanvas: Bool {
        guard let first = frames.first?.onCanvas else { return false }
        return first.area != PixelArea(canvas) || frames.dropLast().contains { $0.onCanvas.disposal == .clear }
    }

    /// The state between two chunks.
    private struct Scan {
        let hasAlpha: Bool
        var frameCount: Int?
        /// The next sequence number.
        var sequence = 0
        /// A frame whose pixels have not started.
        var waiting: PNGFrame?
        var pixels = Pixels.none

        /// Which pixels may follow.
        enum Pixels { case none, defaultImage, frame }

        /// Returns false if the chunk may not be here.
        mutating func read(_ chunk: PNGChunks.Element, of chunks: PNGChunks, into found: inout PNGAnimation) -> Bool {
            let isOfAnimation = [.animation, .frame, .framePixels].contains(chunk.type)
            if isOfAnimation, chunk.isWhole, !chunks.isIntact(chunk) { return false }
            if !chunk.isWhole, ![.pixels, .framePixels].contains(chunk.type) { return true }
            switch chunk.type {
            case .animation: return readControl(chunk, of: chunks, into: &found)
            case .frame: return readFrame(chunk, of: chunks, canvas: found.canvas)
            case .pixels:
                guard pixels != .frame else { return false }
                pixels = .defaultImage
                addWaiting(to: &found, isDefaultImage: true)
            case .framePixels: return readPixels(chunk, of: chunks, into: &found)
            case .end:
                found.isTruncated = false
                return waiting == nil && found.frames.count == frameCount
            default: break
            }
            return true
        }

        private mutating func readControl(
            _ chunk: PNGChunks.Element, of chunks: PNGChunks, into found: inout PNGAnimation
        ) -> Bool {
            guard frameCount == nil, pixels == .none, chunk.content.count == 8 else { return false }
            let count = chunks.uint32(at: chunk.content.lowerBound)
            found.loopCount = chunks.uint32(at: chunk.content.lowerBound + 4)
            frameCount = count
            return count > 0 && max(count, found.loopCount) <= Int32.max
        }

        private mutating func readFrame(_ chunk: PNGChunks.Element, of chunks: PNGChunks, canvas: PixelSize) -> Bool {
            guard waiting == nil, let frame = PNGFrame(chunk, of: chunks, in: canvas, hasAlpha: hasAlpha),
                chunks.uint32(at: chunk.content.lowerBound) == sequence
            else { return false }
            sequence += 1
            waiting = frame
            if pixels == .none { return frame.onCanvas.area == PixelArea(canvas) }
            pixels = .frame
            return true
        }

        private mutating func readPixels(
            _ chunk: PNGChunks.Element, of chunks: PNGChunks, into found: inout PNGAnimation
        ) -> Bool {
            if chunk.content.count < 4 { return !chunk.isWhole }
            guard pixels == .frame, chunks.uint32(at: chunk.content.lowerBound) == sequence else { return false }
            sequence += 1
            addWaiting(to: &found, isDefaultImage: false)
            return true
        }

        private mutating func addWaiting(to found: inout PNGAnimation, isDefaultImage: Bool) {
            guard var frame = waiting else { return }
            frame.isDefaultImage = isDefaultImage
            // There is nothing to restore under the first frame.
            if found.frames.isEmpty, frame.onCanvas.disposal == .restore { frame.onCanvas.disposal = .clear }
            found.frames.append(frame)
            waiting = nil
        }
    }
}
