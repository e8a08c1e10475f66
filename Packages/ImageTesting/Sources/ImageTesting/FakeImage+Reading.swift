import ImageCore

/// A `FakeImage` file with a parsed header. It throws the same errors as a real decoder.
struct FakeImageFile {
    let header: ImageHeader
    let scales: Bool
    private let bytes: [UInt8]
    /// The offset of the first frame, in bytes.
    let framesStart: Int

    init(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
        var reader = FakeReader(bytes: [UInt8](data))
        guard [UInt8](FakeImage.signature) == (try reader.take(8)) else {
            throw .malformed(.fake, "no signature")
        }
        let size = PixelSize(width: try reader.number(4), height: try reader.number(4))
        guard size.width > 0, size.height > 0 else { throw .malformed(.fake, "a size of \(size)") }
        try limits.check(size)
        header = try reader.header(size: size, limits: limits)
        scales = reader.scales
        bytes = reader.bytes
        framesStart = reader.position
    }

    /// Returns the RGBA bytes of a frame: four bytes for a single color, or all pixels.
    func frame(_ index: Int) throws(ImageDecodingError) -> [UInt8] {
        guard (0..<header.frameCount).contains(index) else {
            throw .noSuchFrame(index, frameCount: header.frameCount)
        }
        var reader = FakeReader(bytes: bytes, position: framesStart)
        for _ in 0..<index { _ = try reader.frame(area: header.storedSize.area) }
        return try reader.frame(area: header.storedSize.area)
    }
}

/// Reads big-endian numbers. Throws `.truncated` at the end of the bytes.
private struct FakeReader {
    let bytes: [UInt8]
    var position = 0
    var scales = false

    mutating func take(_ count: Int) throws(ImageDecodingError) -> [UInt8] {
        guard bytes.count - position >= count else { throw .truncated(.fake) }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func number(_ count: Int) throws(ImageDecodingError) -> Int {
        try take(count).bigEndian(at: 0, count) ?? 0
    }

    mutating func frame(area: Int) throws(ImageDecodingError) -> [UInt8] {
        switch try number(1) {
        case 0: return try take(4)
        case 1: return try take(area * 4)
        case let kind: throw .malformed(.fake, "a frame of kind \(kind)")
        }
    }

    mutating func header(size: PixelSize, limits: DecodingLimits) throws(ImageDecodingError) -> ImageHeader {
        var header = ImageHeader(format: .fake, storedSize: size, frameCount: try number(2))
        guard header.frameCount > 0 else { throw .malformed(.fake, "no frames") }
        try limits.check(.frames, header.frameCount)
        header.loopCount = try number(2)
        header.orientation = ImageOrientation(rawValue: try number(1)) ?? .up
        let flags = try number(1)
        header.hasAlpha = flags & 1 != 0
        scales = flags & 2 != 0
        guard let layout = PixelLayout(code: UInt8(try number(1))) else { throw .malformed(.fake, "unknown layout") }
        header.nativeLayout = layout
        let profileCount = try number(4)
        if header.frameCount > 1 {
            for _ in 0..<header.frameCount { header.frameDelays.append(.milliseconds(try number(2))) }
        }
        let profile = try take(profileCount)
        if !profile.isEmpty, profile.count <= limits.metadataByteLimit {
            header.color = SourceColor(profile: Data(profile))
        }
        return header
    }
}
