import CImageCodecWebP
public import ImageCore

/// Decodes WebP (RFC 9649): lossy, lossless, with alpha, profile and Exif orientation, still and animated.
///
/// libwebp decodes whole images, so a decode needs memory for the RGBA image, and more than twice as much if the image
/// is lossless or lossy with alpha. An animation also needs a canvas. `DecodingLimits.decodedByteLimit` is checked before
/// memory is allocated, including the Huffman tables of lossless images.
///
/// Lossy still images without alpha can be decoded with half the sides, which needs 1.5 bytes per stored pixel: each
/// pixel has the mean of four samples of luma, and the one sample of each chroma plane. The scaling in libwebp is not
/// used, because it saves no time and has low quality.
///
/// Animations play as in browsers: the canvas starts transparent, whatever the background color of the file, and delays
/// up to 10 ms become 100 ms.
public struct WebPDecoder: ImageDecoder, PoolingImageDecoder {
    private let pool: PixelBufferPool?

    /// Creates a decoder.
    ///
    /// - Parameter pool: Provides the memory of still images and takes it back. Use the pool of the cache that stores
    ///   them.
    public init(pool: PixelBufferPool? = nil) { self.pool = pool }

    public var format: ImageFormat { .webP }

    package func using(_ pool: PixelBufferPool) -> WebPDecoder { WebPDecoder(pool: self.pool ?? pool) }

    /// Returns whether the data starts with the signatures `RIFF` and `WEBP`.
    public func recognizes(_ prefix: Data) -> Bool {
        prefix.starts(with: "RIFF".utf8) && prefix.dropFirst(8).starts(with: "WEBP".utf8)
    }

    /// Checks the whole container. Decodes no pixels. A truncated file is accepted if its header is complete.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognizes(data.prefix(12)) else {
            throw data.count < 12 ? .truncated(.webP) : .malformed(.webP, "the RIFF and WEBP signatures are missing")
        }
        let structure = try WebPStructure(inspecting: data, limits: limits)
        return OpenedWebP(data: data, structure: structure, limits: limits, pool: pool)
    }
}

extension WebPDecoder: IncrementalImageDecoder {
    /// Creates an image without bytes. Previews show the rows of still images. Use `open` for animations and for
    /// metadata after the pixels.
    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalWebP(limits: limits) }
}

/// A WebP file whose container has been read.
final class OpenedWebP: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let structure: WebPStructure
    private let limits: DecodingLimits
    private let pool: PixelBufferPool?
    /// The state after the last decoded frame. Decoding in order costs one frame each.
    private var canvas: AnimationCanvas?

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
    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        guard case .still(let image) = structure.content else { return 4 * structure.canvas.area }
        return image.byteCount(decodedAt: size)
    }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        guard (0..<structure.frameCount).contains(index) else {
            let isMissing = structure.isTruncated && index >= structure.frameCount
            throw isMissing ? .truncated(.webP) : .noSuchFrame(index, frameCount: structure.frameCount)
        }
        guard size == decodableSize(covering: size), layout == .rgba8 else {
            throw .unsupported(.webP, "the image can't be decoded at \(size) in this layout")
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
            try canvas?.send(to: sink)
        }
    }

    /// Sends a complete image: its pixels at once if the sink receives them, or else its rows.
    private func send(
        _ image: WebPImage, at range: Range<Int>, size: PixelSize, to sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        if size == image.size {
            let isWritten = try sink.receiveImage(byteCount: 4 * size.area) { pixels throws(ImageDecodingError) in
                try image.decode(at: range, of: data, into: &pixels)
            }
            if isWritten { return }
        }
        let decoded = try image.decoded(at: range, of: data, size: size, pool: pool)
        defer { pool?.give(decoded) }
        try image.send(0..<size.height, of: decoded.span, size: size, to: sink)
    }

    /// Sends the available rows of a truncated file, then throws `.truncated`. Decodes about 256 rows at a time, to
    /// allow cancellation.
    private func stream(
        _ image: WebPImage, size: PixelSize, into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        let session = try WebPSession(image, size: size)
        let pieceCount = max(1, image.size.height / 256)
        for piece in 1...pieceCount where !session.isComplete {
            try sink.checkCancellation()
            let shown = session.rows
            try session.update(data.prefix(data.count * piece / pieceCount))
            try session.send(shown..<session.rows, to: sink)
        }
        throw .truncated(.webP)
    }

    private func composite(
        _ frames: [WebPFrame], through index: Int, for sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        // Moved out to avoid a copy of the canvas on write. It is discarded if a frame fails.
        var working = canvas ?? AnimationCanvas(structure.canvas)
        canvas = nil
        working.seek(to: index) { frames[$0].onCanvas }
        while working.next <= index {
            let frame = frames[working.next]
            try frame.image.checkMemory(
                outputBytes: 4 * (structure.canvas.area + frame.image.size.area), at: frame.data, of: data,
                limits: limits)
            try sink.checkCancellation()
            if frame.isTruncated {
                working.draw(frame, firstRows: try decodedPart(of: frame))
                try working.send(to: sink)
                throw .truncated(.webP)
            }
            try working.draw(frame, of: data, pool: pool)
        }
        canvas = consume working
    }

    private func decodedPart(of frame: WebPFrame) throws(ImageDecodingError) -> [UInt8] {
        let session = try WebPSession(frame.image, size: frame.image.size)
        try session.update(data.dropFirst(frame.data.lowerBound).prefix(frame.data.count))
        return session.decodedPart
    }
}

/// A WebP image that is decoded while its bytes arrive. Still images have previews, animations have none.
///
/// libwebp receives the bytes at fixed checkpoints in the file, so that the result does not depend on how they were
/// split. All bytes are stored until the image is complete, because libwebp needs them from the start.
final class IncrementalWebP: IncrementalImage {
    private let limits: DecodingLimits
    private var data = Data()
    /// The number of bytes that have been read.
    private var position = 0
    private var image: WebPImage?
    /// The size of the previews. Nil before `start`.
    private var size: PixelSize?
    private var session: WebPSession?
    private var isDone = false

    private(set) var header: ImageHeader?

    init(limits: DecodingLimits) { self.limits = limits }

    var extent: PreviewExtent {
        guard let session else { return .nothing }
        return PreviewExtent(passes: session.isComplete ? 1 : 0, rows: session.rows)
    }

    /// Returns the stored size, or half of it for a lossy still image without alpha.
    func decodableSize(covering target: PixelSize) -> PixelSize {
        image?.decodableSize(covering: target) ?? header?.storedSize ?? target
    }

    /// Returns the size of the whole image, or of its planes, in bytes.
    func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int {
        image?.byteCount(decodedAt: size) ?? 4 * size.area
    }

    func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
        guard header != nil, size == decodableSize(covering: size), layout == .rgba8 else {
            throw .unsupported(.webP, "the image can't be decoded at \(size) in this layout")
        }
        self.size = size
        try advance()
    }

    func append(_ bytes: Data) throws(ImageDecodingError) {
        if isDone || bytes.isEmpty { return }
        try limits.check(.encodedBytes, data.count + bytes.count)
        data.append(bytes)
        try advance()
    }

    func decodePreview(into sink: any PixelRowSink) throws(ImageDecodingError) {
        if let session { try session.send(0..<session.rows, to: sink) }
    }

    /// Reads the available bytes, checkpoint by checkpoint. After the header it continues only when decoding has
    /// started.
    private func advance() throws(ImageDecodingError) {
        let end = RIFFChunks.fileLength(of: data) ?? .max
        while !isDone, header == nil || size != nil {
            let next = min(end, Self.checkpoint(after: position))
            guard next <= data.count else { return }
            position = next
            let known = data.prefix(next)
            if header == nil {
                try readHeader(of: known)
                // After the header, the same bytes are read again for the rows.
                if position == end, header == nil { finish() }
            } else {
                try decode(known)
                if position == end || session?.isComplete == true { finish() }
            }
        }
    }

    /// Returns the next checkpoint.
    private static func checkpoint(after position: Int) -> Int {
        let step = position < 1 << 10 ? 1 << 6 : position < 1 << 16 ? 1 << 10 : 1 << 14
        return (position / step + 1) * step
    }

    /// Ends decoding and releases the bytes.
    private func finish() {
        isDone = true
        data = Data()
    }

    private func readHeader(of known: Data) throws(ImageDecodingError) {
        let structure: WebPStructure
        do throws(ImageDecodingError) {
            guard try RIFFChunks(of: known, limits: limits).reachesImage else { return }
            structure = try WebPStructure(inspecting: known, limits: limits)
        } catch .truncated {
            return
        }
        header = structure.header
        if case .still(let image) = structure.content { self.image = image }
    }

    private func decode(_ known: Data) throws(ImageDecodingError) {
        guard let image, let size else { return }
        if session == nil {
            do throws(ImageDecodingError) {
                try image.checkMemory(
                    outputBytes: image.byteCount(decodedAt: size), at: 0..<known.count, of: known, limits: limits)
            } catch .truncated {
                // The memory of a lossless image is not known yet.
                return
            }
            session = try WebPSession(image, size: size)
        }
        try session?.update(known)
    }
}
