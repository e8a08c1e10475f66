import ImageCore

/// A chunk with its data.
struct PNGChunk {
    var type: PNGChunkType
    var data: [UInt8]
}

/// The four letters of a chunk type as a big-endian number.
struct PNGChunkType: Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// - Parameter letters: Four ASCII letters.
    private init(_ letters: String) { rawValue = letters.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

    static let header = PNGChunkType("IHDR")
    static let palette = PNGChunkType("PLTE")
    static let transparency = PNGChunkType("tRNS")
    static let profile = PNGChunkType("iCCP")
    static let exif = PNGChunkType("eXIf")
    static let gamma = PNGChunkType("gAMA")
    static let chromaticities = PNGChunkType("cHRM")
    static let srgb = PNGChunkType("sRGB")
    static let codePoints = PNGChunkType("cICP")
    static let lightLevel = PNGChunkType("cLLI")
    static let mastering = PNGChunkType("mDCV")
    static let pixels = PNGChunkType("IDAT")
    static let animation = PNGChunkType("acTL")
    static let frame = PNGChunkType("fcTL")
    static let framePixels = PNGChunkType("fdAT")
    static let end = PNGChunkType("IEND")
    /// The first chunk of Apple's PNG variant.
    static let appleVariant = PNGChunkType("CgBI")

    /// Whether a decoder that does not know the chunk must reject the image (PNG 3rd edition, 5.4).
    var isCritical: Bool { rawValue & 0x2000_0000 == 0 }

    var isValid: Bool {
        bytes.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// The name for messages.
    var name: String { String(decoding: bytes, as: UTF8.self) }

    /// The letters as stored. The checksum starts with them.
    var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) } }
}

/// Reads the chunks of a file from pieces of any length.
///
/// A state machine that stores at most one chunk, whose length is limited, and reads each byte once. A critical chunk
/// with a wrong checksum is an error; other chunks with a wrong checksum are skipped.
struct PNGChunkStream {
    enum Event {
        case chunk(PNGChunk)
        /// The first IDAT chunk starts. All chunks that describe the pixels have been read.
        case pixelsBegin
        /// The bytes of the piece that continue the compressed pixels.
        case pixels(Range<Int>)
        /// The chunk after the pixels starts, or IEND before them. What follows is not part of the image: it may be
        /// missing or damaged.
        case end
    }

    private enum Part {
        case signature, start, body, checksum
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The maximum number of bytes of an event, so that they stay in the processor's cache after the checksum is
    /// computed.
    private static let maximumPixelBytes = 32 << 10

    private let metadataBytes: Int
    private var part = Part.signature
    private var isFirst = true
    /// The number being read, and how many of its bytes have been read.
    private var number: (value: UInt64, count: Int) = (0, 0)
    private var type = PNGChunkType.header
    private var remaining = 0
    private var checksum = PNGChecksum()
    /// The data of the current chunk so far. `nil` if it is skipped.
    private var collected: [UInt8]?
    private var isInPixels = false

    init(limits: DecodingLimits) { metadataBytes = limits.metadataByteLimit }

    /// Returns the next event in `piece` from `offset` on and advances `offset`. Returns nil at the end of the piece.
    mutating func next(in piece: Span<UInt8>, at offset: inout Int) throws(ImageDecodingError) -> Event? {
        while true {
            switch part {
            case .signature:
                guard let value = readNumber(8, in: piece, at: &offset) else { return nil }
                if value != 0x8950_4E47_0D0A_1A0A { throw .malformed(.png, "the PNG signature is missing") }
                part = .start
            case .start:
                guard let value = readNumber(8, in: piece, at: &offset) else { return nil }
                let type = PNGChunkType(rawValue: UInt32(truncatingIfNeeded: value))
                // As in libpng and browsers, IDAT chunks after another chunk are ignored.
                if isInPixels, type != .pixels { return .end }
                if try begin(type, length: Int(value >> 32)) { return .pixelsBegin }
            case .body:
                if let range = try readBody(in: piece, at: &offset) { return .pixels(range) }
                if part == .body { return nil }
            case .checksum:
                guard let value = readNumber(4, in: piece, at: &offset) else { return nil }
                if let event = try finish(UInt32(truncatingIfNeeded: value)) { return event }
            }
        }
    }

    /// Starts a chunk. Returns true if it is the first IDAT chunk.
    private mutating func begin(_ type: PNGChunkType, length: Int) throws(ImageDecodingError) -> Bool {
        guard length <= Int(Int32.max) else { throw .malformed(.png, "a chunk of \(length) bytes") }
        guard type.isValid else { throw .malformed(.png, "a chunk type has characters other than letters") }
        if isFirst, type != .header { throw Self.failure(ofFirst: type) }
        isFirst = false
        self.type = type
        remaining = length
        collected = length <= maximumLength(type) ? [] : nil
        checksum = PNGChecksum()
        let letters = type.bytes
        checksum.add(letters.span)
        part = .body
        guard type == .pixels, !isInPixels else { return false }
        isInPixels = true
        return true
    }

    private static func failure(ofFirst type: PNGChunkType) -> ImageDecodingError {
        type == .appleVariant
            ? .unsupported(.png, "Apple's variant (CgBI)") : .malformed(.png, "\(type.name) precedes the header")
    }

    /// Returns the maximum length of the stored data of a chunk, or -1 if it is skipped.
    private func maximumLength(_ type: PNGChunkType) -> Int {
        switch type {
        case .header: 13
        case .palette: 768
        case .transparency: 256
        case .exif: metadataBytes
        case .gamma, .chromaticities, .srgb, .codePoints, .lightLevel, .mastering, .animation, .frame: 32
        // The name, and the size of a stream that can't be compressed.
        case .profile: metadataBytes.plus(metadataBytes / 1000 + 200)
        default: -1
        }
    }

    /// Reads the available data of the chunk. Returns the range of compressed pixels, of limited length.
    private mutating func readBody(in piece: Span<UInt8>, at offset: inout Int) throws(ImageDecodingError) -> Range<
        Int
    >? {
        let count = min(remaining, piece.count - offset, type == .pixels ? Self.maximumPixelBytes : .max)
        let range = offset..<offset + count
        // The checksum of skipped ancillary chunks is not used.
        if collected != nil || type.isCritical { add(piece.extracting(range)) }
        offset += count
        remaining -= count
        if remaining == 0 { part = .checksum }
        return type == .pixels && count > 0 ? range : nil
    }

    private mutating func add(_ bytes: Span<UInt8>) {
        checksum.add(bytes)
        if collected != nil, type != .pixels { for index in bytes.indices { collected?.append(bytes[index]) } }
    }

    private mutating func finish(_ stored: UInt32) throws(ImageDecodingError) -> Event? {
        part = .start
        if stored != checksum.value, type.isCritical { throw .malformed(.png, "\(type.name) has a wrong checksum") }
        if type == .end { return .end }
        guard type != .pixels else { return nil }
        guard let data = collected else {
            if type.isCritical { throw .malformed(.png, "\(type.name) is unknown or too long") }
            return nil
        }
        collected = nil
        return stored == checksum.value ? .chunk(PNGChunk(type: type, data: data)) : nil
    }

    /// Reads a big-endian number of `count` bytes. Returns nil if the piece ends first.
    private mutating func readNumber(_ count: Int, in piece: Span<UInt8>, at offset: inout Int) -> UInt64? {
        while number.count < count {
            if offset == piece.count { return nil }
            number.value = number.value << 8 | UInt64(piece[offset])
            number.count += 1
            offset += 1
        }
        defer { number = (0, 0) }
        return number.value
    }
}

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
    mutating func next(in piece: Span<UInt8>, at offset: inout Int) throws(ImageDecodingError) -> Step? {
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

    private mutating func read(_ chunk: PNGChunk) throws(ImageDecodingError) {
        if preamble == nil {
            let header = try PNGHeader(chunk.data)
            try limits.check(header.size)
            preamble = PNGPreamble(header, limits: limits)
        } else {
            try preamble?.read(chunk)
        }
    }

    private mutating func beginPixels() throws(ImageDecodingError) -> PNGPreamble {
        guard let preamble else { throw .malformed(.png, "the file has no header") }
        try preamble.check()
        hasPixels = true
        return preamble
    }
}
