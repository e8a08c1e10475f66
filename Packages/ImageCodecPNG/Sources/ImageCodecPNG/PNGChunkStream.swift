import ImageCore

/// A chunk whose data is of interest.
struct PNGChunk {
    var type: PNGChunkType
    var data: [UInt8]
}

/// The four letters of a chunk's type as one big-endian number.
struct PNGChunkType: Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// - Parameter letters: four of ASCII.
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
    static let pixels = PNGChunkType("IDAT")
    static let end = PNGChunkType("IEND")
    /// The first chunk of Apple's variant.
    static let apples = PNGChunkType("CgBI")

    /// A reader that does not know the chunk must not show the image (PNG 3rd edition, 5.4).
    var isCritical: Bool { rawValue & 0x2000_0000 == 0 }

    var isValid: Bool {
        bytes.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// For people.
    var name: String { isValid ? String(decoding: bytes, as: UTF8.self) : "chunk" }

    /// As in the file, where the checksum begins with them.
    var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) } }
}

/// Reads a file's chunks from bytes that come in pieces of any length.
///
/// A pure state machine: it holds no more than the chunk that it collects, whose length is limited, and touches each byte
/// once. A wrong checksum is an error in a critical chunk; other chunks are left out.
struct PNGChunkStream {
    enum Event {
        case chunk(PNGChunk)
        /// The first chunk of pixels begins: all that is said about them has been said.
        case pixelsBegin
        /// These bytes of the piece go on with the compressed pixels.
        case pixels(Range<Int>)
        /// The end chunk was there. What follows is no part of the image.
        case end
    }

    private enum Part {
        case signature, start, body, checksum
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Few enough to be still in the processor's cache after their checksum.
    private static let mostPixelBytes = 32 << 10

    private let metadataBytes: Int
    private var part = Part.signature
    private var isFirst = true
    /// The number that is being read, and how many of its bytes there were.
    private var number: (value: UInt64, count: Int) = (0, 0)
    private var type = PNGChunkType.header
    private var remaining = 0
    private var checksum = PNGChecksum()
    /// Data so far; nil when it is not of interest.
    private var collected: [UInt8]?
    private var pixelsState = PixelsState.before

    private enum PixelsState {
        /// Chunks of pixels that do not follow one another belong to no image, as libpng and browsers see it.
        case before, running, over
    }

    init(limits: DecodingLimits) { metadataBytes = limits.metadataBytes }

    /// What comes next in `piece` from `offset` on, which is moved behind it; nil when the piece is used up.
    mutating func next(in piece: Span<UInt8>, at offset: inout Int) throws(DecodingFailure) -> Event? {
        while true {
            switch part {
            case .signature:
                guard let value = take(8, in: piece, at: &offset) else { return nil }
                if value != 0x8950_4E47_0D0A_1A0A { throw .malformed(.png, "no PNG signature") }
                part = .start
            case .start:
                guard let value = take(8, in: piece, at: &offset) else { return nil }
                let type = PNGChunkType(rawValue: UInt32(truncatingIfNeeded: value))
                if try begin(type, length: Int(value >> 32)) { return .pixelsBegin }
            case .body:
                if let range = try takeBody(in: piece, at: &offset) { return .pixels(range) }
                if part == .body { return nil }
            case .checksum:
                guard let value = take(4, in: piece, at: &offset) else { return nil }
                if let event = try finish(UInt32(truncatingIfNeeded: value)) { return event }
            }
        }
    }

    /// Whether this is the first chunk of pixels.
    private mutating func begin(_ type: PNGChunkType, length: Int) throws(DecodingFailure) -> Bool {
        guard length <= Int(Int32.max) else { throw .malformed(.png, "a chunk of \(length) bytes") }
        guard type.isValid else { throw .malformed(.png, "a chunk whose type is not of letters") }
        if isFirst, type != .header { throw Self.failure(ofFirst: type) }
        isFirst = false
        self.type = type
        remaining = length
        collected = length <= longest(type) ? [] : nil
        checksum = PNGChecksum()
        let letters = type.bytes
        checksum.add(letters.span)
        part = .body
        return follow(type)
    }

    /// Whether the pixels begin with a chunk of this type.
    private mutating func follow(_ type: PNGChunkType) -> Bool {
        switch (pixelsState, type == .pixels) {
        case (.before, true):
            pixelsState = .running
            return true
        case (.running, false): pixelsState = .over
        default: break
        }
        return false
    }

    private static func failure(ofFirst type: PNGChunkType) -> DecodingFailure {
        type == .apples
            ? .unsupported(.png, "Apple's variant (CgBI)") : .malformed(.png, "\(type.name) comes before the header")
    }

    /// The largest data of a chunk that is collected; -1 when none is.
    private func longest(_ type: PNGChunkType) -> Int {
        switch type {
        case .header: 13
        case .palette: 768
        case .transparency: 256
        case .exif: metadataBytes
        case .gamma, .chromaticities, .srgb, .codePoints: 32
        // A name, and what a stream takes that can't be compressed.
        case .profile: metadataBytes.addingReportingOverflow(metadataBytes / 1000 + 200).partialValue
        default: -1
        }
    }

    /// Takes what there is of the data, of compressed pixels not too much at a time, and returns where those are.
    private mutating func takeBody(in piece: Span<UInt8>, at offset: inout Int) throws(DecodingFailure) -> Range<Int>? {
        let count = min(remaining, piece.count - offset, type == .pixels ? Self.mostPixelBytes : .max)
        let range = offset..<offset + count
        // Others can't fail by their checksum, nor are they looked at.
        if collected != nil || type.isCritical { add(piece.extracting(range)) }
        offset += count
        remaining -= count
        if remaining == 0 { part = .checksum }
        return type == .pixels && pixelsState == .running && count > 0 ? range : nil
    }

    private mutating func add(_ bytes: Span<UInt8>) {
        checksum.add(bytes)
        if collected != nil, type != .pixels { for index in bytes.indices { collected?.append(bytes[index]) } }
    }

    private mutating func finish(_ stored: UInt32) throws(DecodingFailure) -> Event? {
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

    /// A big-endian number of `count` bytes; nil when the piece ends before it does.
    private mutating func take(_ count: Int, in piece: Span<UInt8>, at offset: inout Int) -> UInt64? {
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
