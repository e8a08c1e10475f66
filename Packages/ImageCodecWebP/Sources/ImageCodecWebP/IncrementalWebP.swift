import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A WebP file whose bytes are coming in. Still images show their rows; animations show nothing before they are opened.
///
/// libwebp is handed the bytes at fixed places of the file, so that what it has decoded does not depend on how they came.
/// All bytes are kept until the image is complete, because libwebp wants them from the first on. Of damaged images it
/// refuses some in parts that it decodes at once: whether one is malformed is decided when all of it is there.
final class IncrementalWebP: IncrementalImage {
    private let limits: DecodingLimits
    private var data = Data()
    /// How many bytes have been looked at.
    private var position = 0
    private var image: WebPPicture?
    private var isStarted = false
    private var session: WebPSession?
    private var isRefused = false
    /// The image decoded at once, where libwebp would not in parts.
    private var pixels: [UInt8]?
    private var isDone = false
    private var failure: DecodingFailure?

    private(set) var header: ImageHeader?

    init(limits: DecodingLimits) { self.limits = limits }

    var extent: PreviewExtent {
        if pixels != nil, let header { return PreviewExtent(passes: 1, rows: header.storedSize.height) }
        guard let session else { return .nothing }
        return PreviewExtent(passes: session.isComplete ? 1 : 0, rows: session.rows)
    }

    /// WebP is decoded at its stored size.
    func decodableSize(covering target: PixelSize) -> PixelSize { header?.storedSize ?? target }

    /// All of the image.
    func heldBytes(size: PixelSize, layout: PixelLayout) -> Int { 4 * size.area }

    func start(size: PixelSize, layout: PixelLayout) throws(DecodingFailure) {
        guard size == header?.storedSize, layout == .rgba8 else {
            throw .unsupported(.webp, "it is decoded at its stored size in RGBA alone")
        }
        isStarted = true
        try keepingFailure { () throws(DecodingFailure) in try advance() }
    }

    func append(_ bytes: Data) throws(DecodingFailure) {
        if let failure { throw failure }
        if isDone || bytes.isEmpty { return }
        try keepingFailure { () throws(DecodingFailure) in
            try limits.check(.encodedBytes, data.count + bytes.count)
            data.append(bytes)
            try advance()
        }
    }

    func decodePreview(into sink: any PixelRowSink) throws(DecodingFailure) {
        if let pixels, let size = header?.storedSize {
            for y in 0..<size.height {
                try sink.receive(pixels.span.extracting(y * size.width * 4..<(y + 1) * size.width * 4))
            }
        } else if let session {
            try session.send(0..<session.rows, to: sink)
        }
    }

    /// Goes from place to place as far as the bytes reach; from the header on only when the previews' size is known.
    private func advance() throws(DecodingFailure) {
        let end = RIFFChunks.fileLength(of: data) ?? .max
        while !isDone, header == nil || isStarted {
            let next = min(end, Self.place(after: position))
            guard next <= data.count else { return }
            position = next
            let known = data.prefix(next)
            if header == nil {
                try readHeader(of: known)
                // With the header the same bytes are looked at again, for the rows.
                if position == end, header == nil { finish() }
            } else {
                try decode(known)
                if position == end, session?.isComplete == false { try decodeAtOnce(known) }
                if position == end || session?.isComplete == true { finish() }
            }
        }
    }

    private static func place(after position: Int) -> Int {
        let step = position < 1 << 10 ? 1 << 6 : position < 1 << 16 ? 1 << 10 : 1 << 14
        return (position / step + 1) * step
    }

    /// Nothing more is read: the bytes can go.
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
        guard let image else { return }
        if session == nil {
            do throws(DecodingFailure) {
                try image.checkMemory(
                    beside: 4 * image.size.area, at: 0..<known.count, of: known, limits: limits)
            } catch .truncated {
                // What a lossless image will take can't be told yet.
                return
            }
            session = try WebPSession(image)
        }
        guard !isRefused else { return }
        do throws(DecodingFailure) {
            try session?.update(known)
        } catch .malformed {
            isRefused = true
        }
    }

    /// The last resort for an image all of which is there. Of one that is cut after all, the rows so far stay.
    private func decodeAtOnce(_ known: Data) throws(DecodingFailure) {
        guard let image else { return }
        do throws(DecodingFailure) {
            pixels = try image.pixels(at: 0..<known.count, of: known, pool: nil)
            session = nil
        } catch .truncated {
            return
        }
    }

    /// What has failed once fails again.
    private func keepingFailure(_ body: () throws(DecodingFailure) -> Void) throws(DecodingFailure) {
        do throws(DecodingFailure) {
            try body()
        } catch {
            failure = error
            throw error
        }
    }
}
