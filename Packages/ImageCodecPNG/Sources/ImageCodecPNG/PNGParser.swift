import ImageCore

/// Parses a file from pieces: interprets the chunks before the pixels and finds the pixels.
struct PNGParser {
    enum Step {
        /// All chunks before the pixels have been read.
        case preamble(PNGPreamble)
        /// The bytes of the piece that continue the compressed pixels.
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

    /// Returns the next step in `piece` from `offset` on and advances `offset`. Returns nil at the end of the piece.
    mutating func next(in piece: Span<UInt8>, at offset: inout Int) throws(DecodingFailure) -> Step? {
        while let event = try chunks.next(in: piece, at: &offset) {
            switch event {
            case .pixels(let range): return .pixels(range)
            case .chunk(let chunk): try read(chunk)
            case .pixelsBegin: return .preamble(try beginPixels())
            case .end:
                guard hasPixels else { throw .malformed(.png, "the file has no pixels") }
                return .end
            }
        }
        return nil
    }

    private mutating func read(_ chunk: PNGChunk) throws(DecodingFailure) {
        if preamble == nil {
            let header = try PNGHeader(chunk.data)
            try limits.check(header.size)
            preamble = PNGPreamble(header, limits: limits)
        } else {
            try preamble?.read(chunk)
        }
    }

    private mutating func beginPixels() throws(DecodingFailure) -> PNGPreamble {
        guard let preamble else { throw .malformed(.png, "the file has no header") }
        try preamble.check()
        hasPixels = true
        return preamble
    }
}
