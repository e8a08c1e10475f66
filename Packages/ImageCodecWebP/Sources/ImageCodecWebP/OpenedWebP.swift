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

    /// Returns the stored size, or half of it for a lossy still image without alpha.
    func decodableSize(covering target: PixelSize) -> PixelSize {
        guard case .still(let image) = structure.content else { return structure.canvas }
        return image.decodableSize(covering: target)
    }

    /// Returns the size of the decoded image, its planes or the canvas in bytes.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        guard case .still(let image) = structure.content else { return 4 * structure.canvas.area }
        return image.byteCount(decodedAt: size)
    }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        guard (0..<structure.frameCount).contains(index) else {
            let isMissing = structure.isTruncated && index >= structure.frameCount
            throw isMissing ? .truncated(.webp) : .noSuchFrame(index, frameCount: structure.frameCount)
        }
        guard size == decodableSize(covering: size), layout == .rgba8 else {
            throw .unsupported(.webp, "the image can't be decoded at \(size) in this layout")
        }
        switch structure.content {
        case .still(let image):
            // libwebp would continue after the end of the file.
            let end = structure.isTruncated ? nil : RIFFChunks.fileLength(of: data)
            let range = 0..<min(data.count, end ?? data.count)
            let byteCount = image.byteCount(decodedAt: size)
            try image.checkMemory(outputBytes: byteCount, at: range, of: data, limits: limits)
            if structure.isTruncated { return try stream(image, size: size, into: sink) }
            try send(image, at: range, size: size, to: sink)
        case .frames(let frames):
            try composite(frames, through: index, for: sink)
            try compositor?.send(to: sink)
        }
    }

    /// Sends a complete image: its pixels at once if the sink receives them, or else its rows.
    private func send(
        _ image: WebPImage, at range: Range<Int>, size: PixelSize, to sink: any PixelRowSink
    ) throws(DecodingFailure) {
        if size == image.size {
            let isWritten = try sink.receiveImage(byteCount: 4 * size.area) { pixels throws(DecodingFailure) in
                try image.decode(at: range, of: data, into: &pixels)
            }
            if isWritten { return }
        }
        let decoded = try image.decoded(at: range, of: data, size: size, pool: pool)
        defer { pool?.give(decoded) }
        try image.send(0..<size.height, of: decoded.span, size: size, to: sink)
    }

    /// Sends the available rows of a truncated file, then throws `.truncated`.
    ///
    /// The bytes are decoded in pieces of about 256 rows to allow cancellation. For each piece, libwebp decodes a few
    /// rows of a lossless image again.
    private func stream(
        _ image: WebPImage, size: PixelSize, into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        let session = try WebPSession(image, size: size)
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
        let session = try WebPSession(frame.image, size: frame.size)
        try session.update(data.dropFirst(frame.data.lowerBound).prefix(frame.data.count))
        return session.decodedPart
    }
}
