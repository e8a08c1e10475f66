import ImageCore

/// Understands a file whose bytes come in pieces, up to its pixels, which it finds and leaves to others.
struct PNGParser {
    enum Step {
        /// All that stands before the pixels is known.
        case preamble(PNGPreamble)
        /// These bytes of the piece go on with the compressed pixels.
        case pixels(Range<Int>)
        case end
    }

    private var chunks: PNGChunkStream
    private var preamble: PNGPreamble?
    private var hasPixels = false
    private let limits: DecodingLimits

    init(limits: DecodingLimits) {
        chunks = PNGChunkStream(limits: limits)
        self.limits = limits
    }

    /// The next step in `piece` from `offset` on, which is moved behind it; nil when the piece is used up.
    mutating func next(in piece: Span<UInt8>, at offset: inout Int) throws(DecodingFailure) -> Step? {
        while let event = try chunks.next(in: piece, at: &offset) {
            switch event {
            case .pixels(let range): return .pixels(range)
            case .chunk(let chunk) where !hasPixels: try take(chunk)
            case .chunk: break
            case .pixelsBegin: return .preamble(try beginPixels())
            case .end:
                guard hasPixels else { throw .malformed(.png, "no pixels") }
                return .end
            }
        }
        return nil
    }

    private mutating func take(_ chunk: PNGChunk) throws(DecodingFailure) {
        if preamble == nil {
            let header = try PNGHeader(chunk.data)
            try limits.check(header.size)
            preamble = PNGPreamble(header, limits: limits)
        } else {
            try preamble?.take(chunk)
        }
    }

    private mutating func beginPixels() throws(DecodingFailure) -> PNGPreamble {
        guard let preamble else { throw .malformed(.png, "no header") }
        try preamble.check()
        hasPixels = true
        return preamble
    }
}
