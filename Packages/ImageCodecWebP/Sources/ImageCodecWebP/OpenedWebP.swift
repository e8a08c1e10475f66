import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A WebP file whose container has been read.
final class OpenedWebP: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let structure: WebPStructure
    private let limits: DecodingLimits
    private let pool: PixelBufferPool?
    /// The state after the last decoded frame. Decoding in order costs one frame each.
    private var compositor: WebPCompositor?

    init(data: Data, structure: WebPStructure, limits: DecodingLimits, pool: PixelBufferPool?) {
        self.data = data
        self.structure = structure
        self.limits = limits
        self.pool = pool
        header = structure.header
    }

    /// Returns the stored size: WebP is not scaled while decoding.
    func decodableSize(covering target: PixelSize) -> PixelSize { structure.canvas }

    /// Returns the size of the decoded image or the canvas in bytes.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { 4 * structure.canvas.area }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        guard (0..<structure.frameCount).contains(index) else {
            let isMissing = structure.isTruncated && index >= structure.frameCount
            throw isMissing ? .truncated(.webp) : .noSuchFrame(index, frameCount: structure.frameCount)
        }
        guard size == structure.canvas, layout == .rgba8 else {
            throw .unsupported(.webp, "the image can only be decoded at \(structure.canvas) as RGBA")
        }
        switch structure.content {
        case .still(let image):
            // libwebp would continue after the end of the file.
            let end = structure.isTruncated ? nil : RIFFChunks.fileLength(of: data)
            let range = 0..<min(data.count, end ?? data.count)
            try image.checkMemory(outputBytes: 4 * size.area, at: range, of: data, limits: limits)
            if structure.isTruncated { return try stream(image, into: sink) }
            let isWritten = try sink.receiveImage(byteCount: 4 * size.area) { pixels throws(DecodingFailure) in
                try image.decode(at: range, of: data, into: &pixels)
            }
            if !isWritten { try send(image.pixels(at: range, of: data, pool: pool), to: sink) }
        case .frames(let frames):
            try composite(frames, through: index, for: sink)
            try compositor?.send(to: sink)
        }
    }

    /// Sends the rows of a complete image, and returns its memory to the pool.
    private func send(_ pixels: [UInt8], to sink: any PixelRowSink) throws(DecodingFailure) {
        defer { pool?.give(pixels) }
        let (bytes, stride) = (pixels.span, structure.canvas.width * 4)
        for y in 0..<structure.canvas.height { try sink.receive(bytes.extracting(y * stride..<(y + 1) * stride)) }
    }

    /// Sends the available rows of a truncated file, then throws `.truncated`.
    ///
    /// The bytes are decoded in pieces of about 256 rows to allow cancellation. For each piece, libwebp decodes a few
    /// rows of a lossless image again.
    private func stream(_ image: WebPImage, into sink: any PixelRowSink) throws(DecodingFailure) {
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
        // Moved out to avoid a copy of the canvas on write. It is discarded if a frame fails.
        var working = compositor ?? WebPCompositor(canvas: structure.canvas, pool: pool)
        compositor = nil
        let start = frames[...index].lastIndex { !$0.isTruncated && $0.replaces(structure.canvas) } ?? 0
        if working.next > index + 1 || working.next < start { working.restart(at: start) }
        while working.next <= index {
            let frame = frames[working.next]
            try frame.image.checkMemory(
                outputBytes: working.byteCount + 4 * frame.size.area, at: frame.data, of: data, limits: limits)
            try sink.checkCancellation()
            if frame.isTruncated {
                try working.draw(frame, firstRows: decodedPart(of: frame))
                try working.send(to: sink)
                throw .truncated(.webp)
            }
            try working.draw(frame, of: data)
        }
        compositor = consume working
    }

    private func decodedPart(of frame: WebPFrame) throws(DecodingFailure) -> [UInt8] {
        let session = try WebPSession(frame.image)
        try session.update(data.dropFirst(frame.data.lowerBound).prefix(frame.data.count))
        return session.decodedPart
    }
}
