import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A WebP file whose container is known.
final class OpenedWebP: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let structure: WebPStructure
    private let limits: DecodingLimits
    private let pool: PixelBufferPool?
    /// Kept from one frame to the next, so that playing in order costs one frame each.
    private var compositor: WebPCompositor?

    init(data: Data, structure: WebPStructure, limits: DecodingLimits, pool: PixelBufferPool?) {
        self.data = data
        self.structure = structure
        self.limits = limits
        self.pool = pool
        header = structure.header
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { structure.canvas }

    /// The decoded image, or the canvas of an animation.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { 4 * structure.canvas.area }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        guard (0..<structure.frameCount).contains(index) else {
            let hasNotCome = structure.isCut && index >= structure.frameCount
            throw hasNotCome ? .truncated(.webp) : .noSuchFrame(index, frameCount: structure.frameCount)
        }
        guard size == structure.canvas, layout == .rgba8 else {
            throw .unsupported(.webp, "it is decoded at \(structure.canvas) in RGBA alone")
        }
        switch structure.content {
        case .still(let image):
            // libwebp would read on behind the file's own end.
            let end = structure.isCut ? nil : RIFFChunks.fileLength(of: data)
            let range = 0..<min(data.count, end ?? data.count)
            try image.checkMemory(beside: 4 * size.area, at: range, of: data, limits: limits)
            if structure.isCut { return try stream(image, into: sink) }
            try send(try image.pixels(at: range, of: data, pool: pool), to: sink)
        case .frames(let frames):
            try composite(frames, through: index, for: sink)
            try compositor?.send(to: sink)
        }
    }

    /// All of the image is in memory before its first row is there: a sink that can keep it so gets it without a copy.
    private func send(_ pixels: [UInt8], to sink: any PixelRowSink) throws(DecodingFailure) {
        if try sink.takeImage(pixels) { return }
        defer { pool?.give(pixels) }
        let (bytes, stride) = (pixels.span, structure.canvas.width * 4)
        for y in 0..<structure.canvas.height { try sink.receive(bytes.extracting(y * stride..<(y + 1) * stride)) }
    }

    /// Hands over the rows that are there of a file that ends too early, maybe all. Bytes go in by pieces of some hundred rows, so that a cancellation is heard; of a
    /// lossless image libwebp decodes a few rows again for each.
    private func stream(_ image: WebPPicture, into sink: any PixelRowSink) throws(DecodingFailure) {
        let session = try WebPSession(image)
        let pieceCount = max(1, image.size.height / 256)
        for piece in 1...pieceCount where !session.isComplete {
            try sink.checkCancellation()
            let shown = session.rows
            try session.update(data.prefix(data.count * piece / pieceCount))
            try session.send(shown..<session.rows, to: sink)
        }
        throw .truncated(.webp)
    }

    private func composite(
        _ frames: [WebPFrame], through index: Int, for sink: any PixelRowSink
    ) throws(DecodingFailure) {
        // Moved out, so that the canvas is not copied on write, and forgotten if a frame fails.
        var working = compositor ?? WebPCompositor(canvas: structure.canvas)
        compositor = nil
        let start = frames[...index].lastIndex { !$0.isCut && $0.replaces(structure.canvas) } ?? 0
        if working.next > index + 1 || working.next < start { working.restart(at: start) }
        while working.next <= index {
            let frame = frames[working.next]
            try frame.image.checkMemory(
                beside: working.byteCount + 4 * frame.size.area, at: frame.data, of: data, limits: limits)
            try sink.checkCancellation()
            if frame.isCut {
                try working.draw(frame, pixels: decodedPart(of: frame))
                try working.send(to: sink)
                throw .truncated(.webp)
            }
            try working.draw(frame, pixels: WebPPixels(frame.image, at: frame.data, of: data))
        }
        compositor = consume working
    }

    private func decodedPart(of frame: WebPFrame) throws(DecodingFailure) -> WebPPixels {
        let session = try WebPSession(frame.image)
        try session.update(data.dropFirst(frame.data.lowerBound).prefix(frame.data.count))
        return session.decodedPart
    }
}
