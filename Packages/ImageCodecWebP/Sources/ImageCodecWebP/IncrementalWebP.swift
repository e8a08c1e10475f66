import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    func heldBytes(size: PixelSize, layout: PixelLayout) -> Int {
        image?.byteCount(decodedAt: size) ?? 4 * size.area
    }

    func start(size: PixelSize, layout: PixelLayout) throws(DecodingFailure) {
        guard header != nil, size == decodableSize(covering: size), layout == .rgba8 else {
            throw .unsupported(.webp, "the image can't be decoded at \(size) in this layout")
        }
        self.size = size
        try advance()
    }

    func append(_ bytes: Data) throws(DecodingFailure) {
        if isDone || bytes.isEmpty { return }
        try limits.check(.encodedBytes, data.count + bytes.count)
        data.append(bytes)
        try advance()
    }

    func decodePreview(into sink: any PixelRowSink) throws(DecodingFailure) {
        if let session { try session.send(0..<session.rows, to: sink) }
    }

    /// Reads the available bytes, checkpoint by checkpoint. After the header it continues only when decoding has
    /// started.
    private func advance() throws(DecodingFailure) {
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

    private func readHeader(of known: Data) throws(DecodingFailure) {
        let structure: WebPStructure
        do throws(DecodingFailure) {
            guard try RIFFChunks(of: known, limits: limits).reachesImage else { return }
            structure = try WebPStructure(inspecting: known, limits: limits)
        } catch .truncated {
            return
        }
        header = structure.header
        if case .still(let image) = structure.content { self.image = image }
    }

    private func decode(_ known: Data) throws(DecodingFailure) {
        guard let image, let size else { return }
        if session == nil {
            do throws(DecodingFailure) {
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
